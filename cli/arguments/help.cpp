// Lays out --help: summary, usage, options by group, and examples.
#include "cli/arguments/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/screen.h"

namespace onnxpress::cli {

namespace {

// Words of `text` in lines of at most `width` columns, the second and later ones indented by `indent`.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (used > 0 && used + 1 + display_width(word) > width) {
      out += '\n' + std::string(indent, ' ');
      used = 0;
    }
    if (used > 0) out += ' ';
    out += word;
    used += display_width(word) + (used > 0 ? 1 : 0);
  }
  return out;
}

struct Line {
  std::string left, right;
};

std::string lines_text(const std::vector<Line>& lines, const Screen& screen) {
  constexpr std::size_t kIndent = 2, kGap = 2, kWidestLeft = 34;
  std::size_t left_width = 0;
  for (const Line& line : lines) left_width = std::max(left_width, std::min(display_width(line.left), kWidestLeft));
  const std::size_t column = kIndent + left_width + kGap;
  std::string out;
  for (const Line& line : lines) {
    out += std::string(kIndent, ' ') + inked(line.left, Ink::kStrong, screen);
    const std::size_t width = display_width(line.left);
    out += width > left_width ? '\n' + std::string(column, ' ') : std::string(left_width - width + kGap, ' ');
    out += wrapped(line.right, std::min<std::size_t>(screen.width, 100) - column, column) + '\n';
  }
  return out;
}

std::string title(std::string_view text, const Screen& screen) { return inked(text, Ink::kTitle, screen) + '\n'; }

std::string usage_of(const Program& program, const Command* command) {
  std::string usage = full_name(program, command);
  if (!command) return usage + " COMMAND [OPTIONS] ...";
  for (const Option& option : command->options) {
    if (!option.is_argument()) continue;
    usage += option.required ? " " + written_form(option) : fmt::format(" [{}]", written_form(option));
  }
  return usage + " [OPTIONS]";
}

std::string command_list(const Program& program, const Screen& screen) {
  std::vector<Line> lines;
  for (const Command& command : program.commands) lines.push_back({command.name, command.summary});
  return lines.empty() ? std::string() : '\n' + title("Commands", screen) + lines_text(lines, screen);
}

// Groups in the order in which options were added; that of --help comes last.
std::vector<std::string> groups_of(const std::vector<const Option*>& options) {
  std::vector<std::string> groups;
  for (const Option* each : options) {
    const Option& option = *each;
    if (option.is_argument() || std::ranges::find(groups, option.group) != groups.end()) continue;
    groups.push_back(option.group);
  }
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& group) { return group != kOtherGroup; });
  return groups;
}

// The options to show. --help-all is only among them if it shows more than --help does.
std::vector<const Option*> shown(const std::deque<Option>& options, bool all) {
  const bool has_rare = std::ranges::any_of(options, &Option::rare);
  std::vector<const Option*> out;
  for (const Option& option : options) {
    if ((option.rare && !all) || (option.asks == Asks::kAllHelp && !has_rare)) continue;
    out.push_back(&option);
  }
  return out;
}

std::string option_lists(const std::vector<const Option*>& options, const Screen& screen) {
  std::string out;
  std::vector<Line> arguments;
  for (const Option* option : options) {
    if (option->is_argument()) arguments.push_back({written_form(*option), option->help});
  }
  if (!arguments.empty()) out += '\n' + title("Arguments", screen) + lines_text(arguments, screen);
  for (const std::string& group : groups_of(options)) {
    std::vector<Line> lines;
    for (const Option* option : options) {
      if (!option->is_argument() && option->group == group) lines.push_back({written_form(*option), option->help});
    }
    out += '\n' + title(group, screen) + lines_text(lines, screen);
  }
  return out;
}

}  // namespace

std::string help_text(const Program& program, const Command* command, bool all) {
  const Screen screen = standard_output();
  const std::string& example = command ? command->example : program.example;
  std::string out =
      fmt::format("{}: {}\n\n", full_name(program, command), command ? command->summary : program.summary);
  out += fmt::format("{}  {}\n", inked("Usage", Ink::kTitle, screen), usage_of(program, command));
  if (!command) out += command_list(program, screen);
  const std::deque<Option>& options = command ? command->options : program.options;
  out += option_lists(shown(options, all), screen);
  const auto rare = std::ranges::count_if(options, &Option::rare);
  if (rare > 0 && !all) {
    out += fmt::format("\n{} more {}: {} --help-all\n", rare, rare == 1 ? "option" : "options",
                       full_name(program, command));
  }
  if (!example.empty()) out += '\n' + title("Examples", screen) + example;
  return out;
}

std::string written_form(const Option& option) {
  std::string out = fmt::format("{}", fmt::join(option.names, ", "));
  if (option.is_argument()) return option.takes == Takes::kEach ? out + "..." : out;
  if (option.takes == Takes::kNothing) return out;
  return out + (option.takes == Takes::kMaybe ? fmt::format(" [{}]", option.label) : " " + option.label);
}

}  // namespace onnxpress::cli
