// Writes roff with the man macros (see man(7)).
#include "cli/arguments/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "cli/arguments/help.h"
#include "onnxpress/base/version.h"

namespace onnxpress::cli {

namespace {

// Escapes characters that have a meaning in roff: backslashes, dashes (which would become hyphens), and dots and quotes
// at the beginning of a line.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string entry(const std::string& term, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(term), escaped(text));
}

std::string synopsis(const Program& program, const Command* command) {
  std::string out = fmt::format(".SH SYNOPSIS\n.B {}\n", escaped(full_name(program, command)));
  if (!command) return out + ".I COMMAND\n[\\fIOPTIONS\\fR] ...\n";
  for (const Option& option : command->options) {
    if (!option.is_argument()) continue;
    const std::string name = fmt::format("\\fI{}\\fR", escaped(written_form(option)));
    out += option.required ? name + "\n" : fmt::format("[{}]\n", name);
  }
  return out + "[\\fIOPTIONS\\fR]\n";
}

// One section per group; arguments come first, options of every command last.
std::string option_sections(const std::deque<Option>& options) {
  std::string arguments, others;
  std::vector<std::pair<std::string, std::string>> groups;
  for (const Option& option : options) {
    const std::string text = entry(written_form(option), option.help);
    if (option.is_argument()) {
      arguments += text;
    } else if (option.group == kOtherGroup) {
      others += text;
    } else {
      auto found = std::ranges::find(groups, option.group, &std::pair<std::string, std::string>::first);
      if (found == groups.end()) found = groups.insert(groups.end(), {option.group, ""});
      found->second += text;
    }
  }
  std::string out;
  if (!arguments.empty()) out += ".SH ARGUMENTS\n" + arguments;
  for (const auto& [group, entries] : groups) out += fmt::format(".SH {}\n{}", escaped(upper_case(group)), entries);
  return out + ".SH OTHER OPTIONS\n" + others;
}

std::string command_section(const Program& program) {
  std::string out = ".SH COMMANDS\n";
  for (const Command& command : program.commands) out += entry(command.name, command.summary);
  return out;
}

std::string see_also(const Program& program, const Command* command) {
  std::vector<std::string> pages;
  if (command) {
    pages.push_back(fmt::format(".BR {} (1)", escaped(program.name)));
  } else {
    for (const Command& each : program.commands)
      pages.push_back(fmt::format(".BR {} (1)", escaped(man_page_name(program, &each))));
  }
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

constexpr std::string_view kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nthe command did what was asked\n"
    ".TP\n.B 1\nthe answer is no: problems or differences were found\n"
    ".TP\n.B 2\nthe command line is wrong\n"
    ".TP\n.B 3\na file is missing, damaged or hostile\n";

}  // namespace

std::string man_page_name(const Program& program, const Command* command) {
  return command ? program.name + "-" + command->name : program.name;
}

std::string man_page(const Program& program, const Command* command) {
  const std::string name = man_page_name(program, command);
  const std::string& example = command ? command->example : program.example;
  std::string out = fmt::format(".TH {} 1 \"\" \"{} {}\"\n", escaped(upper_case(name)), program.name, version());
  out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(command ? command->summary : program.summary));
  out += synopsis(program, command);
  if (!command) out += command_section(program);
  out += option_sections(command ? command->options : program.options);
  if (!example.empty()) out += fmt::format(".SH EXAMPLES\n.nf\n{}.fi\n", escaped(example));
  return out + std::string(kExitStatus) + see_also(program, command);
}

}  // namespace onnxpress::cli
