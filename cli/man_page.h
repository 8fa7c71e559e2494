// Manual pages in roff, from the same tables as --help.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace onnxpress::cli {

// "onnxpress", "onnxpress-info"
std::string man_page_name(const Program& program, const Command* command);
// Of the whole program when `command` is null. Same input, same bytes: no date.
std::string man_page(const Program& program, const Command* command);

}  // namespace onnxpress::cli
