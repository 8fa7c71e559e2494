// Shell completion scripts, made from the tree of commands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace onnxpress::cli {

std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);

}  // namespace onnxpress::cli
