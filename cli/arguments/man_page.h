// Manual pages in roff, from the same tables as --help.
#pragma once

#include <string>

#include "cli/arguments/command_line.h"

namespace onnxpress::cli {

// "onnxpress", "onnxpress-info"
std::string man_page_name(const Program& program, const Command* command);
// The page of `command`, or of the whole program when it is null. Has no date, so that the same input gives the same
// bytes.
std::string man_page(const Program& program, const Command* command);

}  // namespace onnxpress::cli
