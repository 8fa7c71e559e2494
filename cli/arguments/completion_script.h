// Shell completion scripts, made from the tree of commands and options.
#pragma once

#include <string>

#include "cli/arguments/command_line.h"

namespace onnxpress::cli {

std::string bash_completion(const Program& program);
std::string zsh_completion(const Program& program);
std::string fish_completion(const Program& program);

}  // namespace onnxpress::cli
