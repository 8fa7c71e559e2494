// Creates a folder with a random name that only the user can read.
#include "onnxpress/base/temporary_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "onnxpress/base/error.h"

namespace onnxpress {

namespace {

std::string prefix_of(long process) { return fmt::format(".onnxpress-{}-", process); }

}  // namespace

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
  std::string pattern = (parent / (prefix_of(::getpid()) + "XXXXXX")).string();
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

void remove_temporary_folders_of(long process) {
  const std::string prefix = prefix_of(process);
  std::error_code failed;
  for (const std::filesystem::path& parent : {memory_folder(), std::filesystem::temp_directory_path(failed)}) {
    if (parent.empty()) continue;
    std::filesystem::directory_iterator at(parent, failed);
    for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
      std::error_code ignored;
      if (at->path().filename().string().starts_with(prefix)) std::filesystem::remove_all(at->path(), ignored);
    }
  }
}

std::filesystem::path memory_folder() {
  const std::filesystem::path folder = "/dev/shm";
  std::error_code failed;
  return std::filesystem::is_directory(folder, failed) ? folder : std::filesystem::path();
}

}  // namespace onnxpress
