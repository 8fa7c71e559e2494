// The text of --help, for the whole command and for each subcommand.
#pragma once

#include <string>

#include "cli/arguments/command_line.h"

namespace onnxpress::cli {

// The help of `command`, or of the whole program when it is null. With `all`, also shows rare options.
std::string help_text(const Program& program, const Command* command, bool all = false);

// "--external-data [NAME]", "-h, --help", "MODEL...": how an option is written in help and usage lines.
std::string written_form(const Option& option);

}  // namespace onnxpress::cli
