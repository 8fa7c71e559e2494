// The version comes from CMakeLists.txt, so that it is written in one place.
#include "onnxpress/base/version.h"

namespace onnxpress {

std::string_view version() { return ONNXPRESS_VERSION; }

}  // namespace onnxpress
