// Keeps files in one temporary folder, from which they are renamed.
#include "onnxpress/tasks/files/staged_files.h"

#include <fmt/format.h>

#include "onnxpress/base/atomic_file.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

// AtomicFile throws if the file cannot be written: a missing folder, permissions, a folder or a device of that name.
fs::path writable_folder_of(const std::string& output) {
  const AtomicFile probe(output);
  return fs::path(output).parent_path();
}

bool is_in(const fs::path& folder, const fs::path& file) {
  return file.parent_path().lexically_normal() == folder.lexically_normal();
}

// Renames files, and undoes that unless all of them were renamed.
class Renames {
 public:
  explicit Renames(const fs::path& staging) : staging_(staging) {}
  Renames(const Renames&) = delete;
  Renames& operator=(const Renames&) = delete;
  ~Renames() {
    for (auto each = done_.rbegin(); each != done_.rend(); ++each) {
      std::error_code ignored;
      if (each->backup.empty())
        fs::remove(each->target, ignored);
      else
        fs::rename(each->backup, each->target, ignored);
    }
  }

  void rename(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    const fs::file_status old = fs::symlink_status(to, failed);
    if (fs::is_regular_file(old)) fs::permissions(from, old.permissions(), failed);
    // The old file keeps its name until the new one takes it. Where the file system has no hard links, the old file
    // cannot be brought back.
    fs::path backup;
    bool can_undo = !fs::exists(old);
    if (fs::is_regular_file(old)) {
      backup = staging_ / fmt::format("..old.{}", done_.size());
      fs::create_hard_link(to, backup, failed);
      can_undo = !failed;
    }
    fs::rename(from, to, failed);
    if (failed) {
      Error error("", fmt::format("cannot rename into place: {}", failed.message()));
      error.set_file(to.string());
      throw error;
    }
    if (can_undo) done_.push_back({to, backup});
  }
  void keep() { done_.clear(); }

 private:
  struct Done {
    fs::path target, backup;  // no backup: there was no file before
  };
  const fs::path& staging_;
  std::vector<Done> done_;
};

}  // namespace

StagedFiles::StagedFiles(const std::string& output, bool dry_run)
    : target_(dry_run ? fs::path(output).parent_path() : writable_folder_of(output)),
      folder_(dry_run ? fs::temp_directory_path() : target_) {}

std::string StagedFiles::path_of(const std::string& output) const {
  return (folder_.path() / fs::path(output).filename()).string();
}

std::string StagedFiles::final_path_of(const std::string& staged) const {
  const fs::path path = staged;
  return is_in(folder_.path(), path) ? (target_ / path.filename()).lexically_normal().string() : staged;
}

void StagedFiles::move_into_place(const std::vector<WrittenFile>& files) const {
  Renames renames(folder_.path());
  for (std::size_t i = files.size(); i-- > 0;)  // the model comes last, when all files that it needs exist
    renames.rename(files[i].path, target_ / fs::path(files[i].path).filename());
  renames.keep();
}

Error StagedFiles::about_target(const Error& error) const {
  const fs::path file = error.file();
  if (!is_in(folder_.path(), file)) return error;
  Error better(error.where(), error.message(), error.hint());
  better.set_file((target_ / file.filename()).string());
  return better;
}

}  // namespace onnxpress
