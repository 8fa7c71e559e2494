// Reads a command line by the tables of cli/arguments/command_line.h.
#pragma once

#include "cli/arguments/command_line.h"

namespace onnxpress::cli {

struct Parsed {
  const Command* command = nullptr;  // null: none was named
  Asks asks = Asks::kNothing;        // --help and --version, which come before everything else
};

// `words` do not include the name of the program. Calls Option::set for each option that was given. Throws UsageError
// that says what is wrong and what was probably meant.
Parsed parse(Program& program, const Texts& words);

}  // namespace onnxpress::cli
