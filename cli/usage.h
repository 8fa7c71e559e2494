// Explains what is wrong with a command line, and what the user probably meant.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace onnxpress::cli {

// What the parser found.
struct Mistake {
  const Command* command = nullptr;  // null: none was recognized
  Texts unknown;                     // words that it could not place
  std::string message;               // its own words for the first problem
};

// With the command that is meant, or the nearest one, or the list of all.
UsageError unknown_command(const Program& program, const std::string& word);

// In our words: unknown options and commands come with the nearest known one.
UsageError explain(const Program& program, const Mistake& mistake);

}  // namespace onnxpress::cli
