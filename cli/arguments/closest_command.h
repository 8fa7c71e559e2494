// Finds our equivalent for a command that the user knows from another tool.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/arguments/command_line.h"

namespace onnxpress::cli {

struct ClosestCommand {
  std::string line;   // "quantize MODEL --to int8"
  bool same = false;  // true: it does the same; false: it only comes closest
};

// nullopt when the word is not known.
std::optional<ClosestCommand> closest_command(const Program& program, std::string_view word);

}  // namespace onnxpress::cli
