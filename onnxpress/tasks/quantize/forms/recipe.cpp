// Reads and writes recipes, as lines of a pattern and a scheme or as a JSON object of them.
#include "onnxpress/tasks/quantize/forms/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/wildcards.h"

namespace onnxpress {

namespace {

using Json = nlohmann::ordered_json;  // the order of an object is that of its patterns

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

void apply_one(std::string_view pattern, std::string_view text, std::vector<PlannedWeight>& planned) {
  const weights::Scheme scheme = weights::parse_scheme(trimmed(text));
  bool fits = false;
  for (PlannedWeight& each : planned) {
    if (!matches(pattern, each.weight)) continue;
    fits = true;
    each.requested = scheme;
  }
  if (!fits) throw Error("", fmt::format("{} matches no tensor", quote_name(pattern)), "");
}

// Names with spaces and the like are in quotes, as in JSON.
void apply_line(std::string_view line, std::vector<PlannedWeight>& planned) {
  if (line.front() != '"') {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    return apply_one(line.substr(0, end), line.substr(end), planned);
  }
  std::size_t end = 1;
  while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
  const Json name = end < line.size() ? Json::parse(line.substr(0, end + 1), nullptr, false) : Json();
  if (!name.is_string()) throw Error("", "the quoted name has no closing quote, or is not a JSON string", "");
  apply_one(name.get<std::string>(), line.substr(end + 1), planned);
}

[[noreturn]] void fail(const std::string& path, std::string where, const Error& error) {
  Error placed(std::move(where), error.message(), error.hint());
  placed.set_file(path);
  throw placed;
}

void apply_lines(const std::string& path, std::string_view text, std::vector<PlannedWeight>& planned) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.empty() || line.front() == '#') continue;
    try {
      apply_line(line, planned);
    } catch (const Error& error) {
      fail(path, fmt::format("line {}", number), error);
    }
  }
}

// {"pattern": "scheme", ...}
void apply_json(const std::string& path, std::string_view text, std::vector<PlannedWeight>& planned) {
  const Json recipe = Json::parse(text, nullptr, false);
  if (!recipe.is_object())
    fail(path, "", Error("", "is not a JSON object of patterns and schemes", R"(such as {"encoder.*": "int8"})"));
  for (const auto& [pattern, scheme] : recipe.items()) {
    try {
      if (!scheme.is_string()) throw Error("", "the scheme is not a string", R"(such as "int4 block=32")");
      apply_one(pattern, scheme.get<std::string>(), planned);
    } catch (const Error& error) {
      fail(path, quote_name(pattern), error);
    }
  }
}

bool is_json(std::string_view path) { return path.ends_with(".json"); }

}  // namespace

void apply_recipe(const std::string& path, std::vector<PlannedWeight>& planned) {
  const auto file = MappedFile::open(path, FileAccess::kRead);
  (is_json(path) ? apply_json : apply_lines)(path, file->bytes().view(), planned);
}

void save_recipe(const std::string& path, const std::vector<PlannedWeight>& planned) {
  Json object = Json::object();
  std::string lines =
      "# A recipe for onnxpress quantize: a pattern and a scheme per line; the last line that matches counts\n";
  for (const PlannedWeight& each : planned) {
    if (each.weight.role.op.empty() && !each.chosen) continue;
    const std::string name = wildcards_for(each.weight.value->name());
    const std::string scheme = each.chosen ? weights::to_string(each.forms[*each.chosen].scheme) : "keep";
    object[name] = scheme;
    const bool plain = !name.empty() && name.find_first_of(" \t\n\r#\"\\") == std::string::npos;
    lines +=
        fmt::format("{}  {}\n", plain ? name : Json(name).dump(-1, ' ', false, Json::error_handler_t::replace), scheme);
  }
  write_file(path, is_json(path) ? object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : lines);
}

}  // namespace onnxpress
