// CLI11 says "The following argument was not expected"; people want to hear which one, and what they meant.
#include "cli/usage.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"

namespace onnxpress::cli {

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? fmt::format("{} {}", app.get_parent()->get_name(), app.get_name()) : app.get_name();
}

std::string see_help(const CLI::App& app) {
  return fmt::format("'{} --help' lists the options and shows examples", full_name(app));
}

UsageError unknown_option(const CLI::App& app, const std::string& written) {
  const std::string name = written.substr(0, written.find('='));
  const std::string guess = name.starts_with("--") ? nearest(name, option_names(app)) : std::string();
  const std::string meant = guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess);
  return UsageError(fmt::format("unknown option {}{}", quote_name(name), meant), see_help(app));
}

UsageError unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = command_names(app);
  const std::string guess = nearest(word, names);
  if (!guess.empty()) {
    return UsageError(fmt::format("unknown command {}; did you mean '{}'?", quote_name(word), guess),
                      fmt::format("'{} --help' lists the commands", app.get_name()));
  }
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) {
    return UsageError(fmt::format("{} is a file, and a command is missing before it", quote_name(word)),
                      fmt::format("{} info {}", app.get_name(), quote_name(word)));
  }
  return UsageError(fmt::format("unknown command {}; known are {}", quote_name(word), fmt::join(names, ", ")),
                    fmt::format("'{} --help' says what they do", app.get_name()));
}

// "MODEL is required" -> "MODEL is missing"; otherwise CLI11's words with a small first letter.
std::string in_our_words(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string_view required = " is required";
  if (text.ends_with(required)) return text.substr(0, text.size() - required.size()) + " is missing";
  const bool starts_sentence = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (starts_sentence) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

UsageError explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& where = chosen.empty() ? app : *chosen.front();
  // A mistyped option is often the reason of the error that comes first ("MODEL is missing"), so it is looked for
  // first.
  for (const std::string& word : where.remaining()) {
    if (word.size() > 1 && word[0] == '-') return unknown_option(where, word);
  }
  if (const auto words = where.remaining(); !words.empty()) {
    if (chosen.empty()) return unknown_command(app, words.front());
    return UsageError(fmt::format("unexpected argument {}", quote_name(words.front())), see_help(where));
  }
  return UsageError(in_our_words(error), see_help(where));
}

}  // namespace onnxpress::cli
