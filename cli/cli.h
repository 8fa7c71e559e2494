// The commands, one file each: every one adds its options to a table and returns the action to run. describe() makes
// the table of all commands.
#pragma once

#include "cli/arguments/command_line.h"

namespace onnxpress::cli {

// Adds all commands with their options to a program, which must stay where it is.
void describe(Program& program);

Action add_bench(Command& command);
Action add_check(Command& command);
Action add_completion(Command& command);
Action add_convert(Command& command);
Action add_diff(Command& command);
Action add_edit(Command& command);
Action add_expand(Command& command);
Action add_extract(Command& command);
Action add_fuse(Command& command);
Action add_generate(Command& command);
Action add_help(Command& command);
Action add_infer(Command& command);
Action add_info(Command& command);
Action add_llm(Command& command);
Action add_man(Command& command);
Action add_merge(Command& command);
Action add_optimize(Command& command);
Action add_profile(Command& command);
Action add_memory(Command& command);
Action add_run(Command& command);
Action add_shapes(Command& command);
Action add_quantize(Command& command);
Action add_shrink(Command& command);
Action add_split(Command& command);
Action add_tensors(Command& command);
Action add_verify(Command& command);

}  // namespace onnxpress::cli
