// Writes completion scripts. The type name of an option says what its value can be: "FILE" a model file, "a|b|c" or
// "a,b,c" one or several of these words, "COMMAND" a command, anything else a value that no shell can guess.
#include "cli/arguments/completion_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace onnxpress::cli {

namespace {

enum class Values { kNone, kFiles, kWords, kUnknown };

struct Argument {
  std::vector<std::string> names;  // "-o", "--output"; empty for a positional one
  std::string description;
  Values values = Values::kNone;
  bool optional_value = false, repeated = false;
  std::string label;               // "FILE", "N"
  std::vector<std::string> words;  // kWords
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Argument argument_of(const Option& option, const Program& program) {
  Argument argument;
  if (!option.is_argument()) argument.names = option.names;
  argument.description = option.help;
  argument.label = option.label;
  argument.repeated = option.takes == Takes::kEach;
  if (option.takes == Takes::kNothing) return argument;
  argument.optional_value = option.takes == Takes::kMaybe;
  argument.values = Values::kUnknown;
  if (argument.label == "FILE") argument.values = Values::kFiles;
  if (argument.label == "COMMAND") {
    argument.values = Values::kWords;
    for (const Command& command : program.commands) argument.words.push_back(command.name);
  }
  for (const char separator : {'|', ','}) {
    // "NAME,..." stands for names that are not known here.
    if (argument.label.find(separator) == std::string::npos || argument.label.ends_with("...")) continue;
    argument.values = Values::kWords;
    argument.words = split(argument.label, separator);
  }
  return argument;
}

std::vector<Argument> arguments_of(const std::deque<Option>& options, const Program& program) {
  std::vector<Argument> arguments;
  arguments.reserve(options.size());
  for (const Option& option : options) arguments.push_back(argument_of(option, program));
  return arguments;
}

std::string command_words(const Program& program, std::string_view separator) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, separator));
}

std::string option_words(const std::vector<Argument>& arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) names.insert(names.end(), argument.names.begin(), argument.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

// --- bash

// The statement of the script that offers completions for a value.
std::string bash_values(const Argument& argument) {
  if (argument.values == Values::kFiles) return "_onnxpress_files";
  if (argument.values == Values::kWords) return fmt::format("_onnxpress_words '{}'", fmt::join(argument.words, " "));
  return ":";
}

std::string bash_case(const Program& program, const Command& command) {
  const std::vector<Argument> arguments = arguments_of(command.options, program);
  std::string values, positional = ":";
  for (const Argument& argument : arguments) {
    if (argument.names.empty()) {
      positional = bash_values(argument);
    } else if (argument.values != Values::kNone && !argument.optional_value) {
      values += fmt::format("        {}) {}; return ;;\n", fmt::join(argument.names, "|"), bash_values(argument));
    }
  }
  std::string out = fmt::format("    {})\n", command.name);
  if (!values.empty()) out += fmt::format("      case $previous in\n{}      esac\n", values);
  out += fmt::format("      if [[ $current == -* ]]; then _onnxpress_words '{}'; else {}; fi ;;\n",
                     option_words(arguments), positional);
  return out;
}

constexpr std::string_view kBashHead =
    R"(# bash completion for onnxpress. For this shell: source <(onnxpress completion bash)
# For every new one: onnxpress completion bash > ~/.local/share/bash-completion/completions/onnxpress

# Words that begin with what was typed; after a comma, the next one of a list.
_onnxpress_words() {
  local before=
  [[ $current == *,* ]] && before=${current%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current##*,}")
}

# Folders, and files that can be models.
_onnxpress_files() {
  local ending
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(
    compgen -d -- "$current"
    for ending in onnx onnxtxt json txt; do compgen -f -X "!*.$ending" -- "$current"; done
  )
}

_onnxpress() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  # bash splits --option=value into three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD == 1)); then
)";

// --- zsh

// In single quotes, with the characters that _arguments would read as its own syntax escaped.
std::string zsh_escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_values(const Argument& argument) {
  if (argument.values == Values::kFiles) return R"x(_files -g "*.(onnx|onnxtxt|json|txt)(-.)")x";
  if (argument.values != Values::kWords) return {};
  const bool list = argument.label.find(',') != std::string::npos;
  const std::string words = fmt::format("{}", fmt::join(argument.words, " "));
  return list ? fmt::format("_sequence compadd - {}", words) : fmt::format("({})", words);
}

void append_zsh_argument(std::string& out, const Argument& argument) {
  // "a|b|c" would be a useless heading above these same words.
  const std::string label = argument.values == Values::kWords ? "value" : argument.label;
  const std::string value = fmt::format("{}:{}", zsh_escaped(label, ":"), zsh_values(argument));
  if (argument.names.empty()) {
    out += fmt::format("        '{}:{}'\n", argument.repeated ? "*" : "", value);
    return;
  }
  for (const std::string& name : argument.names) {
    const bool takes_value = argument.values != Values::kNone;
    const char* equals = takes_value && name.starts_with("--") ? "=" : "";
    out += fmt::format("        '{}{}[{}]{}'\n", name, equals, zsh_escaped(argument.description, "[]\\"),
                       takes_value ? (argument.optional_value ? "::" : ":") + value : "");
  }
}

// --- fish

// In single quotes, where only backslashes and single quotes have a meaning.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_values(const Argument& argument) {
  switch (argument.values) {
    case Values::kNone:
      return "";
    case Values::kFiles:
      return argument.optional_value ? "" : " -r -F";
    case Values::kWords:
      return fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(argument.words, " "))));
    case Values::kUnknown:
      return argument.optional_value ? "" : " -x";
  }
  return "";
}

// `condition` decides when fish offers it.
std::string fish_argument(const Argument& argument, const std::string& condition) {
  std::string out = "complete -c onnxpress" + condition;
  if (argument.names.empty()) {
    if (argument.values == Values::kFiles) return out + " -F\n";
    return argument.values == Values::kWords ? out + fish_values(argument) + "\n" : std::string();
  }
  for (const std::string& name : argument.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return out + fish_values(argument) + " -d " + fish_quoted(argument.description) + "\n";
}

}  // namespace

std::string fish_completion(const Program& program) {
  std::string out =
      "# fish completion for onnxpress. For every new shell:\n"
      "#   onnxpress completion fish > ~/.config/fish/completions/onnxpress.fish\n"
      "complete -c onnxpress -f\n";
  const std::string no_command = " -n __fish_use_subcommand";
  for (const Argument& argument : arguments_of(program.options, program)) out += fish_argument(argument, no_command);
  for (const Command& command : program.commands) {
    out += fmt::format("complete -c onnxpress{} -a {} -d {}\n", no_command, command.name, fish_quoted(command.summary));
    const std::string chosen = fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    for (const Argument& argument : arguments_of(command.options, program)) out += fish_argument(argument, chosen);
  }
  return out;
}

std::string bash_completion(const Program& program) {
  std::string out(kBashHead);
  out += fmt::format("    _onnxpress_words '{} {}'\n    return\n  fi\n", command_words(program, " "),
                     option_words(arguments_of(program.options, program)));
  out += "  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : program.commands) out += bash_case(program, command);
  return out + "  esac\n}\ncomplete -F _onnxpress onnxpress\n";
}

std::string zsh_completion(const Program& program) {
  std::string out =
      "#compdef onnxpress\n"
      "# zsh completion for onnxpress. For every new shell: onnxpress completion zsh > \"${fpath[1]}/_onnxpress\"\n\n"
      "_onnxpress() {\n  local -a commands arguments\n  commands=(\n";
  for (const Command& command : program.commands) {
    out += fmt::format("    '{}:{}'\n", command.name, zsh_escaped(command.summary, ":\\"));
  }
  out += "  )\n  if (( CURRENT == 2 )); then\n    arguments=(\n";
  for (const Argument& argument : arguments_of(program.options, program)) append_zsh_argument(out, argument);
  out += "    )\n    _arguments $arguments\n    _describe -t commands command commands\n    return\n  fi\n";
  out += "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Command& command : program.commands) {
    out += fmt::format("    {})\n      arguments=(\n", command.name);
    for (const Argument& argument : arguments_of(command.options, program)) append_zsh_argument(out, argument);
    out += "      ) ;;\n";
  }
  out += "    *) return 1 ;;\n  esac\n  _arguments -s -S $arguments\n}\n\n";
  // Works both ways: as a file in fpath (autoloaded, then run) and sourced after compinit.
  return out + "if [[ $funcstack[1] == _onnxpress ]]; then _onnxpress \"$@\"; else compdef _onnxpress onnxpress; fi\n";
}

}  // namespace onnxpress::cli
