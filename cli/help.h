// The text of --help, for the whole command and for each subcommand.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace onnxpress::cli {

// Makes `app` and the commands added to it later show our help instead of CLI11's.
void use_our_help(CLI::App& app);

// The group of --help and --version, which comes last.
inline constexpr const char* kOtherGroup = "Other";

// "--external-data [NAME]", "-h, --help", "MODEL...": how an option is written in help and usage lines.
std::string written_form(const CLI::Option& option);

}  // namespace onnxpress::cli
