// Builds the tables of commands and options.
#include "cli/command_line.h"

#include <algorithm>
#include <utility>

namespace onnxpress::cli {

Option help_option() {
  return {.names = {"-h", "--help"},
          .help = "show this help",
          .takes = Takes::kNothing,
          .group = kOtherGroup,
          .asks = Asks::kHelp};
}

Option version_option() {
  return {.names = {"-V", "--version"},
          .help = "show the version",
          .takes = Takes::kNothing,
          .group = kOtherGroup,
          .asks = Asks::kVersion};
}

Option& Command::add(Option option) { return options.emplace_back(std::move(option)); }

Option* Command::find(std::string_view option_name) {
  for (Option& option : options) {
    if (std::ranges::find(option.names, option_name) != option.names.end()) return &option;
  }
  return nullptr;
}

bool Command::was_given(std::string_view option_name) const {
  return std::ranges::any_of(options, [&](const Option& option) {
    return option.given && std::ranges::find(option.names, option_name) != option.names.end();
  });
}

Command& Program::add_command(std::string command_name, std::string command_summary, std::string command_example) {
  Command& command = commands.emplace_back(
      Command{std::move(command_name), std::move(command_summary), std::move(command_example), this});
  command.add(help_option());
  return command;
}

std::string full_name(const Program& program, const Command* command) {
  return command ? program.name + " " + command->name : program.name;
}

}  // namespace onnxpress::cli
