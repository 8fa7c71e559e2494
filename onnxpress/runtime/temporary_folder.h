// A folder for files that ONNX Runtime writes, gone with its owner.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <system_error>

#include "onnxpress/base/error.h"

namespace onnxpress::runtime {

class TemporaryFolder {
 public:
  // Throws Error when none can be made. Nobody else may look into it.
  TemporaryFolder() {
    std::random_device random;
    std::error_code problem;
    const std::filesystem::path base = std::filesystem::temp_directory_path(problem);
    for (int i = 0; i < 20 && !problem; ++i) {
      path_ = base / ("onnxpress-" + std::to_string(random()) + std::to_string(random()));
      if (!std::filesystem::create_directory(path_, problem)) continue;
      std::filesystem::permissions(path_, std::filesystem::perms::owner_all, problem);
      return;
    }
    throw Error("", "no temporary folder can be made", "set TMPDIR to a folder that can be written");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace onnxpress::runtime
