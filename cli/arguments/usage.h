// Explains what is wrong with a command line, and what the user probably meant.
#pragma once

#include <string>

#include "cli/arguments/command_line.h"

namespace onnxpress::cli {

// What the parser found.
struct Mistake {
  const Command* command = nullptr;  // null: none was recognized
  Texts unknown;                     // words that it could not place
  Texts words;                       // all words after the command
  std::string message;               // the parser's own text for the first problem
};

// The error for an unknown command: names the one that is meant, or the nearest one, or lists all.
UsageError unknown_command(const Program& program, const std::string& word);

// Turns the mistake into an error in our words: for unknown options and commands, it names the nearest known one.
UsageError explain(const Program& program, const Mistake& mistake);

}  // namespace onnxpress::cli
