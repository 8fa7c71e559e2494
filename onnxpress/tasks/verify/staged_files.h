// Files of a result that is checked before it gets its final name: until then, existing files are not touched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/tasks/convert.h"

namespace onnxpress::tasks {

class StagedFiles {
 public:
  // Beside the output, so that moving is renaming; for a dry run among the system's temporary files. Throws Error when
  // the output cannot be written.
  StagedFiles(const std::string& output, bool dry_run);

  // Where a file that belongs to `output` or beside it is written first. Names stay: models refer to files by name.
  std::string path_of(const std::string& output) const;
  // Gives the files their places, the first one last, and their names in the list. What is replaced keeps its
  // permissions. Throws Error.
  void move_into_place(std::vector<WrittenFile>& files) const;

  // What went wrong with a file that is not in its place yet, told of the place where it belongs.
  Error about_target(const Error& error) const;

 private:
  std::filesystem::path target_;
  TemporaryFolder folder_;
};

}  // namespace onnxpress::tasks
