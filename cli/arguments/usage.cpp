// Rewrites the parser's errors: which argument is wrong, and what the user probably meant.
#include "cli/arguments/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>

#include "cli/arguments/closest_command.h"
#include "cli/arguments/moved_options.h"
#include "cli/terminal/cell_text.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"

namespace onnxpress::cli {

namespace {

Texts option_names(const std::deque<Option>& options) {
  Texts names;
  for (const Option& option : options) {
    std::ranges::copy_if(option.names, std::back_inserter(names),
                         [](const std::string& name) { return name.starts_with("--"); });
  }
  return names;
}

std::string see_help(const Program& program, const Command* command) {
  return fmt::format("see '{} --help' for options and examples", full_name(program, command));
}

UsageError unknown_option(const Program& program, const Mistake& mistake, const std::string& written) {
  const Command* command = mistake.command;
  if (command) {
    const auto moved = moved_answer(command->name, mistake.words, &program);
    if (moved) return UsageError(moved->problem, printable(moved->command_line));
  }
  const std::string name = written.substr(0, written.find('='));
  const std::string guess = name.starts_with("--")
                                ? nearest(name, option_names(command ? command->options : program.options))
                                : std::string();
  const std::string meant = guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess);
  return UsageError(fmt::format("unknown option {}{}", quote_name(name), meant), see_help(program, command));
}

// "MODEL is required" -> "MODEL is missing"; otherwise CLI11's words with a lower-case first letter.
std::string in_our_words(std::string text) {
  const std::string_view required = " is required";
  if (text.ends_with(required)) return text.substr(0, text.size() - required.size()) + " is missing";
  const bool starts_sentence = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (starts_sentence) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

UsageError unknown_command(const Program& program, const std::string& word) {
  Texts names;
  for (const Command& command : program.commands) names.push_back(command.name);
  if (const auto closest = closest_command(program, word)) {
    return UsageError(fmt::format("unknown command {}; '{} {}' {}", quote_name(word), program.name, closest->line,
                                  closest->same ? "does that" : "comes closest"),
                      fmt::format("see '{} --help' for the commands", program.name));
  }
  const std::string guess = nearest(word, names);
  if (!guess.empty()) {
    return UsageError(fmt::format("unknown command {}; did you mean '{}'?", quote_name(word), guess),
                      fmt::format("see '{} --help' for the commands", program.name));
  }
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) {
    return UsageError(fmt::format("{} is a file; put a command before it", quote_name(word)),
                      fmt::format("{} info {}", program.name, quote_name(word)));
  }
  return UsageError(fmt::format("unknown command {}; the commands are {}", quote_name(word), fmt::join(names, ", ")),
                    fmt::format("see '{} --help' for what they do", program.name));
}

UsageError explain(const Program& program, const Mistake& mistake) {
  // A mistyped option is often the cause of the parser's first error ("MODEL is missing"), so look for one first.
  for (const std::string& word : mistake.unknown) {
    if (word.size() > 1 && word[0] == '-') return unknown_option(program, mistake, word);
  }
  const std::string hint = see_help(program, mistake.command);
  if (!mistake.unknown.empty()) {
    if (!mistake.command) return unknown_command(program, mistake.unknown.front());
    return UsageError(fmt::format("unexpected argument {}", quote_name(mistake.unknown.front())), hint);
  }
  return UsageError(in_our_words(mistake.message), hint);
}

}  // namespace onnxpress::cli
