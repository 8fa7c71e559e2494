// Opens libraries with dlopen. A library is never closed, because its threads and thread-local objects may not survive
// that.
#include "onnxpress/base/platform/shared_library.h"

#include <dlfcn.h>

namespace onnxpress::platform {

OpenedLibrary open_library(const std::string& path) {
  OpenedLibrary library;
  library.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library.handle) {
    const char* reason = ::dlerror();
    library.failure = reason ? reason : "unknown reason";
  }
  return library;
}

void* find_symbol(const OpenedLibrary& library, const char* name) { return ::dlsym(library.handle, name); }

}  // namespace onnxpress::platform
