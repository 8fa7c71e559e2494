// Creates a folder with a random name that only the user can read.
#include "onnxpress/base/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "onnxpress/base/error.h"

namespace onnxpress {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
  std::string pattern = (parent / ".onnxpress-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) {
    Error error("", fmt::format("cannot create a folder: {}", std::strerror(errno)),
                errno == ENOENT ? "the folder does not exist; create it first" : "");
    error.set_file(parent.empty() ? "." : parent.string());
    throw error;
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path memory_folder() {
  const std::filesystem::path folder = "/dev/shm";
  std::error_code failed;
  return std::filesystem::is_directory(folder, failed) ? folder : std::filesystem::path();
}

}  // namespace onnxpress
