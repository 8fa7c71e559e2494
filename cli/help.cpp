// Lays out --help: what it does, how it is called, the options by group, then examples.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/cell_text.h"
#include "cli/screen.h"

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
    out += wrapped(line.right, screen.width - column, column) + '\n';
  }
  return out;
}

std::string title(std::string_view text, const Screen& screen) { return inked(text, Ink::kTitle, screen) + '\n'; }

std::string usage_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  std::string usage = parent ? fmt::format("{} {}", parent->get_name(), app.get_name()) : app.get_name();
  if (!parent) return usage + " COMMAND [OPTIONS] ...";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    usage += option->get_required() ? " " + written_form(*option) : fmt::format(" [{}]", written_form(*option));
  }
  return usage + " [OPTIONS]";
}

std::string command_list(const CLI::App& app, const Screen& screen) {
  std::vector<Line> lines;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    lines.push_back({command->get_name(), command->get_description()});
  }
  return lines.empty() ? std::string() : '\n' + title("Commands", screen) + lines_text(lines, screen);
}

// In the order in which options were added, --help and its like last.
std::vector<std::string> groups_of(const CLI::App& app) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    if (std::ranges::find(groups, option->get_group()) == groups.end()) groups.push_back(option->get_group());
  }
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& group) { return group != kOtherGroup; });
  return groups;
}

std::string option_lists(const CLI::App& app, const Screen& screen) {
  std::string out;
  std::vector<Line> positional;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) positional.push_back({written_form(*option), option->get_description()});
  }
  if (!positional.empty()) out += '\n' + title("Arguments", screen) + lines_text(positional, screen);
  for (const std::string& group : groups_of(app)) {
    std::vector<Line> lines;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() || option->get_group() != group) continue;
      lines.push_back({written_form(*option), option->get_description()});
    }
    out += '\n' + title(group, screen) + lines_text(lines, screen);
  }
  return out;
}

std::string help_text(const CLI::App& app) {
  const Screen screen = standard_output();
  const CLI::App* parent = app.get_parent();
  std::string out =
      fmt::format("{}: {}\n\n", parent ? fmt::format("{} {}", parent->get_name(), app.get_name()) : app.get_name(),
                  app.get_description());
  out += fmt::format("{}  {}\n", inked("Usage", Ink::kTitle, screen), usage_of(app));
  out += command_list(app, screen);
  out += option_lists(app, screen);
  if (!app.get_footer().empty()) out += '\n' + title("Examples", screen) + app.get_footer();
  return out;
}

}  // namespace

std::string written_form(const CLI::Option& option) {
  std::string value = option.get_type_name();
  if (option.get_positional()) {
    std::string name = option.get_name(true);
    return option.get_items_expected_max() > 1 ? name + "..." : name;
  }
  std::string out;
  for (const std::string& name : option.get_snames()) out += fmt::format("{}-{}", out.empty() ? "" : ", ", name);
  for (const std::string& name : option.get_lnames()) out += fmt::format("{}--{}", out.empty() ? "" : ", ", name);
  if (option.get_items_expected_max() == 0) return out;
  return out + (option.get_items_expected_min() == 0 ? fmt::format(" [{}]", value) : " " + value);
}

void use_our_help(CLI::App& app) {
  app.formatter_fn([](const CLI::App* which, const std::string&, CLI::AppFormatMode) { return help_text(*which); });
}

}  // namespace onnxpress::cli
