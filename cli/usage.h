// Explains what is wrong with a command line, and what was probably meant.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/cli.h"

namespace onnxpress::cli {

// Turns a parser's exception into our words: unknown options and commands come with the nearest known one.
UsageError explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace onnxpress::cli
