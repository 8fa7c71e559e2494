// A folder that is removed with everything in it when it goes out of scope.
#pragma once

#include <filesystem>

namespace onnxpress {

class TemporaryFolder {
 public:
  // Creates a folder with a hidden name inside `parent` (empty: the current folder). Throws Error.
  explicit TemporaryFolder(const std::filesystem::path& parent);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Removes the folders of a process that crashed or was killed, in the system's folders for temporary files.
void remove_temporary_folders_of(long process);

// The folder whose files the system keeps in memory; empty where there is none.
std::filesystem::path memory_folder();

}  // namespace onnxpress
