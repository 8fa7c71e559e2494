// The last step of commands that write a model: where it goes, and the report about it.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/output.h"

namespace onnxpress::cli {

// Throws UsageError when no name was given, or one that does not show the form of the output.
ModelOutput required_output(const std::string& named, bool json);

// Prints the report, delivers the model, and names the files. Returns the exit code of the command.
int show_written(const ModelOutput& output, const std::vector<WrittenFile>& files, const std::string& report,
                 bool json);

}  // namespace onnxpress::cli
