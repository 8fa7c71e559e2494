// Files of a result that is checked before it gets its final name: until then, existing files are not touched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress {

class StagedFiles {
 public:
  // Creates the folder next to the output, so that files can be renamed into place, or for a dry run among the system's
  // temporary files. Throws Error when the output cannot be written.
  StagedFiles(const std::string& output, bool dry_run);

  // Where `output`, or a file next to it, is written first. File names stay the same, because models refer to them.
  std::string path_of(const std::string& output) const;
  const std::filesystem::path& folder() const { return folder_.path(); }
  const std::filesystem::path& final_folder() const { return target_; }
  // The final path of a staged file.
  std::string final_path_of(const std::string& staged) const;
  // Renames the files into place, the first one last. New files get the permissions of those that they replace. If a
  // file cannot be renamed, those that were replaced get their old content back. Throws Error.
  void move_into_place(const std::vector<WrittenFile>& files) const;

  // An error about a staged file, reworded to name its final path.
  Error about_target(const Error& error) const;

 private:
  std::filesystem::path target_;
  TemporaryFolder folder_;
};

}  // namespace onnxpress
