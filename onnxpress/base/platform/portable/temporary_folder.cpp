// Creates a folder with a random name.
#include "onnxpress/base/temporary_folder.h"

#include <fmt/format.h>

#include <random>

#include "onnxpress/base/error.h"

namespace onnxpress {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
  std::random_device random;
  path_ = parent / fmt::format(".onnxpress-{:08x}{:08x}", random(), random());
  std::error_code failed;
  if (std::filesystem::create_directory(path_, failed)) return;
  Error error("", fmt::format("cannot create a folder: {}", failed.message()));
  error.set_file(parent.empty() ? "." : parent.string());
  throw error;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void remove_temporary_folders_of(long) {}

std::filesystem::path memory_folder() { return {}; }

}  // namespace onnxpress
