// Where a command writes its model: a file named by -o or after the input, or standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/tasks/convert.h"

namespace onnxpress::cli {

// Throws UsageError unless the name of a result says which form it has. "-" is standard output: an .onnx file.
void require_output_form(const std::string& output);

// `IN OUT`, as other tools have it: an output that was given as the last of the models, which is not there yet, moves
// to `output`. Throws UsageError where that could have two meanings.
void take_output_argument(std::vector<std::string>& models, std::string& output);

// Two files that both exist and no -o: in other tools the second one is the result, here both would be models. Throws
// UsageError; `verb`: what is done with them.
void require_one_meaning(const std::vector<std::string>& models, std::string_view verb);

// Throws UsageError when the results of several models cannot be put there: it is a file, or named like one.
void require_output_folder(const std::string& output);

// Makes it, with the folders it is in. Throws Error.
void make_output_folder(const std::string& path);

// Throws UsageError when both the argument OUT and -o were given.
void require_one_output(const Command& command);

// The same file, whatever the paths look like.
bool is_same_file(const std::string& a, const std::string& b);

// A model is written to a file; for standard output, too, so that it arrives completely or not at all.
class ModelOutput {
 public:
  // `json`: a report that needs standard output for itself.
  ModelOutput(const std::string& named, bool json);

  const std::string& path() const { return path_; }  // of the file to write
  bool is_standard_output() const { return folder_.has_value(); }

  // What the command has to say: to standard output, unless the model goes there.
  void report(std::string_view text) const;
  // After the file was written. Throws Error if the model has weights in other files, which cannot be sent along.
  void deliver(const std::vector<tasks::WrittenFile>& files) const;

 private:
  std::optional<TemporaryFolder> folder_;
  std::string path_;
};

}  // namespace onnxpress::cli
