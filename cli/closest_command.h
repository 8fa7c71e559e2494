// Finds our equivalent for a command that the user knows from another tool.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command_line.h"

namespace onnxpress::cli {

struct ClosestCommand {
  std::string line;   // "shrink MODEL --weights int8"
  bool same = false;  // it does that; false: it comes closest
};

// nullopt when the word means nothing to us.
std::optional<ClosestCommand> closest_command(const Program& program, std::string_view word);

}  // namespace onnxpress::cli
