// Where a command writes its model: a file named by -o or after the input, or standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/command_line.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/tasks/files/convert.h"

namespace onnxpress::cli {

// Throws UsageError unless the name of a result shows its form. "-" is standard output: an .onnx file.
void require_output_form(const std::string& output);

// `IN OUT`, as in other tools: if the last of the models does not exist yet, it is taken as the output and moves to
// `output`. Throws UsageError if that is ambiguous.
void take_output_argument(std::vector<std::string>& models, std::string& output);

// Throws UsageError for two existing files without -o: in other tools the second one is the result, here both would be
// models. `verb` is what the command does with them.
void require_one_meaning(const std::vector<std::string>& models, std::string_view verb);

// Throws UsageError when `output` cannot be a folder for several results, because it is a file or is named like one.
void require_output_folder(const std::string& output);

// Creates the folder and its parents. Throws Error.
void make_output_folder(const std::string& path);

// Throws UsageError when both the argument OUT and -o were given.
void require_one_output(const Command& command);

// Do both paths lead to the same file, however they are written?
bool is_same_file(const std::string& a, const std::string& b);

// Where a model is written to: always a file first, even for standard output, so that it arrives completely or not at
// all.
class ModelOutput {
 public:
  // `json`: a JSON report needs standard output for itself.
  ModelOutput(const std::string& named, bool json);

  const std::string& path() const { return path_; }  // of the file to write
  bool is_standard_output() const { return folder_.has_value(); }

  // Prints the report to standard output, or to standard error if the model goes to standard output.
  void report(std::string_view text) const;
  // Called after the file was written: copies it to standard output if that was requested. Throws Error if the model
  // has weights in other files, which cannot be sent along.
  void deliver(const std::vector<WrittenFile>& files) const;

 private:
  std::optional<TemporaryFolder> folder_;
  std::string path_;
};

// "wrote model.onnx  1,234 bytes", for each file.
void tell_files(const std::vector<WrittenFile>& files);

}  // namespace onnxpress::cli
