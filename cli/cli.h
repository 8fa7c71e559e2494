// The commands, one file each: every one adds its options to a table and returns what to do with them.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace onnxpress::cli {

// Throws UsageError unless the name of a result says which form it shall have (and is not standard output, where the
// report goes).
void require_output_form(const std::string& output);

Action add_check(Command& command);
Action add_completion(Command& command);
Action add_convert(Command& command);
Action add_diff(Command& command);
Action add_expand(Command& command);
Action add_generate(Command& command);
Action add_infer(Command& command);
Action add_info(Command& command);
Action add_run(Command& command);
Action add_shrink(Command& command);

}  // namespace onnxpress::cli
