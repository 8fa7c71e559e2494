// Keeps files in one temporary folder, from which they are renamed.
#include "onnxpress/tasks/files/staged_files.h"

#include <fmt/format.h>

#include "onnxpress/base/atomic_file.h"

namespace onnxpress::tasks {

namespace fs = std::filesystem;

namespace {

// AtomicFile throws if the file cannot be written: a missing folder, permissions, a folder or a device of that name.
fs::path writable_folder_of(const std::string& output) {
  const AtomicFile probe(output);
  return fs::path(output).parent_path();
}

}  // namespace

StagedFiles::StagedFiles(const std::string& output, bool dry_run)
    : target_(dry_run ? fs::path() : writable_folder_of(output)),
      folder_(dry_run ? fs::temp_directory_path() : target_) {}

std::string StagedFiles::path_of(const std::string& output) const {
  return (folder_.path() / fs::path(output).filename()).string();
}

void StagedFiles::move_into_place(std::vector<WrittenFile>& files) const {
  for (std::size_t i = files.size(); i-- > 0;) {  // the model comes last, when all files that it needs exist
    const fs::path staged = files[i].path, final_path = target_ / staged.filename();
    std::error_code failed;
    const fs::file_status old = fs::symlink_status(final_path, failed);
    if (fs::is_regular_file(old)) fs::permissions(staged, old.permissions(), failed);
    fs::rename(staged, final_path, failed);
    if (failed) {
      Error error("", fmt::format("cannot rename into place: {}", failed.message()));
      error.set_file(final_path.string());
      throw error;
    }
    files[i].path = final_path.lexically_normal().string();
  }
}

Error StagedFiles::about_target(const Error& error) const {
  const fs::path file = error.file();
  if (file.parent_path() != folder_.path()) return error;
  Error better(error.where(), error.message(), error.hint());
  better.set_file((target_ / file.filename()).string());
  return better;
}

}  // namespace onnxpress::tasks
