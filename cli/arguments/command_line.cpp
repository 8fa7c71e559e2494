// Builds the tables of commands and options.
#include "cli/arguments/command_line.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cli/terminal/screen.h"

namespace onnxpress::cli {

namespace {

Option help_option(std::string name, const char* help, Asks asks) {
  Option option{.help = help, .takes = Takes::kNothing, .group = kOtherGroup, .asks = asks};
  if (asks == Asks::kHelp) option.names.emplace_back("-h");
  option.names.push_back(std::move(name));
  return option;
}

ColorChoice color_choice(const std::string& word) {
  if (word == "auto") return ColorChoice::kAuto;
  if (word == "always") return ColorChoice::kAlways;
  if (word == "never") return ColorChoice::kNever;
  throw BadValue("'" + word + "' is not one of auto, always, never");
}

unsigned thread_count(const std::string& text) {
  constexpr unsigned kMost = 1024;  // far more than are useful on any machine
  unsigned count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size() || count == 0 || count > kMost)
    throw BadValue("'" + text + "' is not a number from 1 to 1024");
  return count;
}

}  // namespace

void add_standard_options(std::deque<Option>& options, unsigned& threads) {
  options.push_back(help_option("--help", "show this help", Asks::kHelp));
  options.push_back(help_option("--help-all", "show this help with all options", Asks::kAllHelp));
  options.push_back({.names = {"-q", "--quiet"},
                     .help = "print only the answer and errors, no progress and no notes",
                     .takes = Takes::kNothing,
                     .set = [](const Texts&) { be_quiet(); },
                     .group = kOtherGroup});
  options.push_back({.names = {"--color"},
                     .label = "auto|always|never",
                     .help = "when to use colors; auto (default): on a terminal, unless NO_COLOR is set",
                     .set = [](const Texts& texts) { choose_color(color_choice(texts.back())); },
                     .group = kOtherGroup});
  options.push_back({.names = {"--threads"},
                     .label = "N",
                     .help = "how many threads to use (default: one per processor)",
                     .set = [&threads](const Texts& texts) { threads = thread_count(texts.back()); },
                     .group = kOtherGroup});
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
  add_standard_options(command.options, threads);
  return command;
}

void Command::show_first(std::string_view names) {
  const std::string list = " " + std::string(names) + " ";
  for (Option& option : options) {
    const bool named = std::ranges::any_of(
        option.names, [&](const std::string& each) { return list.find(" " + each + " ") != std::string::npos; });
    option.rare = !named && !option.is_argument() && option.group != kOtherGroup;
  }
}

const Command* Program::find(std::string_view command_name) const {
  const auto found = std::ranges::find(commands, command_name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

std::string full_name(const Program& program, const Command* command) {
  return command ? program.name + " " + command->name : program.name;
}

}  // namespace onnxpress::cli
