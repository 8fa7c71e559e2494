// Shared libraries cannot be opened on this platform.
#include "onnxpress/base/platform/shared_library.h"

namespace onnxpress::platform {

OpenedLibrary open_library(const std::string&) { return {nullptr, "this build cannot open shared libraries"}; }

void* find_symbol(const OpenedLibrary&, const char*) { return nullptr; }

}  // namespace onnxpress::platform
