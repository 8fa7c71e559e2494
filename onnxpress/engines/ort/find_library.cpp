// Looks for the library where package managers put it. In the Python package, its file name includes the version.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "onnxpress/base/platform/process.h"
#include "onnxpress/engines/ort/onnx_runtime.h"

namespace onnxpress::engines {

namespace fs = std::filesystem;

namespace {

// Paths in a folder whose names begin with `with`, highest version first; none if the folder cannot be read.
std::vector<fs::path> beginning(const fs::path& folder, std::string_view with) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end; each.increment(failed)) {
    if (each->path().filename().string().starts_with(with)) found.push_back(each->path());
  }
  std::ranges::sort(found, std::greater<>());
  return found;
}

// Names of the library, the one that a linker looks for first. Python packages put the version into the name:
// libonnxruntime.so.1.31.1, libonnxruntime.1.31.1.dylib.
#ifdef __APPLE__
constexpr const char* kNames[] = {"libonnxruntime.dylib", "libonnxruntime.1.dylib"};
constexpr std::string_view kBeginning = "libonnxruntime.";
#else
constexpr const char* kNames[] = {"libonnxruntime.so", "libonnxruntime.so.1"};
constexpr std::string_view kBeginning = "libonnxruntime.so";
#endif

void add_libraries(const fs::path& packages, std::vector<std::string>& out) {
  for (const fs::path& library : beginning(packages / "onnxruntime" / "capi", kBeginning))
    out.push_back(library.string());
}

// PREFIX/lib/python3.N/{site,dist}-packages, and Debian's PREFIX/lib/python3/dist-packages.
void add_prefix(const fs::path& prefix, std::vector<std::string>& out) {
  for (const fs::path& python : beginning(prefix / "lib", "python3")) {
    for (const char* packages : {"site-packages", "dist-packages"}) add_libraries(python / packages, out);
  }
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::vector<std::string> library_candidates() {
  std::vector<std::string> all(std::begin(kNames), std::end(kNames));
  if (const std::string active = environment("VIRTUAL_ENV"); !active.empty()) add_prefix(active, all);
  // We run the code of the library, so in the working folder it must belong to the user: others may put files into
  // /tmp.
  if (platform::belongs_to_user(".venv")) {
    std::vector<std::string> here;
    add_prefix(".venv", here);
    std::ranges::copy_if(here, std::back_inserter(all), platform::belongs_to_user);
  }
  if (const std::string home = environment("HOME"); !home.empty()) add_prefix(fs::path(home) / ".local", all);
#ifdef __APPLE__
  add_prefix("/opt/homebrew", all);
  all.emplace_back("/opt/homebrew/lib/libonnxruntime.dylib");
#endif
  add_prefix("/usr/local", all);
  add_prefix("/usr", all);
  return all;
}

}  // namespace onnxpress::engines
