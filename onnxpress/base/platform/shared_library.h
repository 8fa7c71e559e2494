// Opens a shared library at run time (ONNX Runtime), if the system supports that.
#pragma once

#include <string>

namespace onnxpress::platform {

struct OpenedLibrary {
  void* handle = nullptr;  // null: it cannot be used
  std::string failure;     // why
};

// The library stays open until the process ends.
OpenedLibrary open_library(const std::string& path);
// Null when the library has no symbol of that name.
void* find_symbol(const OpenedLibrary& library, const char* name);

}  // namespace onnxpress::platform
