// Reading and writing recipes.
#include "onnxpress/tasks/weight_recipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"

namespace onnxpress::tasks {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

void apply_line(std::string_view line, std::vector<PlannedWeight>& planned) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view pattern = line.substr(0, end);
  const weights::Scheme scheme = weights::parse_scheme(trimmed(line.substr(end)));
  bool fits = false;
  for (PlannedWeight& each : planned) {
    if (!matches(pattern, each.weight)) continue;
    fits = true;
    each.wanted = scheme;
  }
  if (!fits) throw Error("", fmt::format("{} matches no tensor", quote_name(pattern)), "");
}

}  // namespace

void apply_recipe(const std::string& path, std::vector<PlannedWeight>& planned) {
  const auto file = MappedFile::open(path, FileAccess::kRead);
  std::string_view text = file->bytes().view();
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.empty() || line.front() == '#') continue;
    try {
      apply_line(line, planned);
    } catch (const Error& error) {
      Error placed(fmt::format("line {}", number), error.message(), error.hint());
      placed.set_file(path);
      throw placed;
    }
  }
}

void save_recipe(const std::string& path, const std::vector<PlannedWeight>& planned) {
  AtomicFile file(path);
  file.write("# onnxpress shrink --recipe: a pattern and a scheme per line; the last line that fits counts\n");
  for (const PlannedWeight& each : planned) {
    const std::string_view name = each.weight.value->name();
    if (each.weight.role.op.empty() || name.find_first_of(" \t\n\r#*?") != std::string_view::npos) continue;
    file.write(fmt::format("{}  {}\n", name,
                           each.chosen ? weights::to_string(each.forms[*each.chosen].scheme) : std::string("keep")));
  }
  file.commit();
}

}  // namespace onnxpress::tasks
