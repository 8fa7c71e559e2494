// Parses the command line with CLI11. No other file includes it, because its header takes half a minute to compile.
#include "cli/arguments/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/arguments/usage.h"

namespace onnxpress::cli {

namespace {

// "-h,--help", the names that are shown first, because CLI11 uses the first one in its messages.
std::string joined_names(const Option& option) {
  std::string out;
  for (const std::string& name : option.names) out += (out.empty() ? "" : ",") + name;
  return out;
}

const char* name_in_messages(const Option& option) { return option.names.back().c_str(); }

void add_valued(CLI::App& app, Option& option) {
  const auto set = [&option](const CLI::results_t& texts) {
    option.given = true;
    try {
      option.set(texts);
    } catch (const BadValue& bad) {
      throw CLI::ValidationError(name_in_messages(option), bad.what());
    }
    return true;
  };
  CLI::Option* added = app.add_option(joined_names(option), set, option.help);
  added->type_name(option.label)->required(option.required);
  switch (option.takes) {
    case Takes::kNothing:
    case Takes::kValue:
      added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      break;
    case Takes::kMaybe:
      added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->expected(0, 1);
      break;
    case Takes::kEach:
      added->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(option.is_argument());
      break;
    case Takes::kCommaList:
      added->expected(1, CLI::detail::expected_max_vector_size)->delimiter(',')->allow_extra_args(false);
      break;
  }
}

void add_option(CLI::App& app, Option& option) {
  if (option.asks == Asks::kHelp) {
    app.set_help_flag(joined_names(option), option.help);
  } else if (option.asks == Asks::kAllHelp) {
    app.set_help_all_flag(joined_names(option), option.help);
  } else if (option.asks == Asks::kVersion) {
    app.set_version_flag(joined_names(option), "");
  } else if (option.takes == Takes::kNothing) {
    const auto set = [&option] {
      option.given = true;
      option.set({});
    };
    app.add_flag_callback(joined_names(option), set, option.help);
  } else {
    add_valued(app, option);
  }
}

void add_options(CLI::App& app, std::deque<Option>& options) {
  app.set_help_flag();  // no help flag other than that of our table
  for (Option& option : options) add_option(app, option);
}

}  // namespace

Parsed parse(Program& program, const Texts& words) {
  CLI::App app(program.summary, program.name);
  app.require_subcommand(0, 1);
  add_options(app, program.options);
  for (Command& command : program.commands) {
    CLI::App& added = *app.add_subcommand(command.name, command.summary);
    // The parser is slow to set up, so options of other commands are not added.
    const bool is_named = std::ranges::find(words, command.name) != words.end();
    if (is_named) add_options(added, command.options);
  }

  const auto chosen = [&]() -> const Command* {
    const auto named = app.get_subcommands();
    if (named.empty()) return nullptr;
    return program.find(named.front()->get_name());
  };
  try {
    app.parse(Texts(words.rbegin(), words.rend()));  // CLI11 takes them from the end
  } catch (const CLI::CallForHelp&) {
    return {chosen(), Asks::kHelp};
  } catch (const CLI::CallForAllHelp&) {
    return {chosen(), Asks::kAllHelp};
  } catch (const CLI::CallForVersion&) {
    return {chosen(), Asks::kVersion};
  } catch (const CLI::ParseError& error) {
    const auto named = app.get_subcommands();
    const CLI::App& part = named.empty() ? app : *named.front();
    const auto command = std::ranges::find(words, part.get_name());
    throw explain(program, {.command = chosen(),
                            .unknown = part.remaining(),
                            .words = command == words.end() ? Texts() : Texts(command + 1, words.end()),
                            .message = error.what()});
  }
  return {chosen()};
}

}  // namespace onnxpress::cli
