// Makes options from fields, and parses their values: one function per type of field.
#include "cli/arguments/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "cli/terminal/numbers.h"
#include "onnxpress/base/suggest.h"

namespace onnxpress::cli {

namespace {

template <typename Number>
std::optional<Number> whole_text_as(const std::string& text) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t parse_number(const std::string& text) {
  if (const auto value = whole_text_as<std::uint64_t>(text)) return *value;
  throw BadValue("'" + text + "' is not a whole number");
}

std::uint64_t parse_size(const std::string& text) {
  if (const auto bytes = parse_bytes(text)) return *bytes;
  throw BadValue("'" + text + "' is not a size such as 1024, 64KB or 1.5MiB");
}

// Not negative, and finite: 1e-5.
double parse_real(const std::string& text) {
  if (const auto value = whole_text_as<double>(text); value && *value >= 0 && !std::isinf(*value)) return *value;
  throw BadValue("'" + text + "' is not a number such as 0.001 or 1e-5");
}

// "15MB:brotli"
DownloadTarget parse_download(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  DownloadTarget target{parse_size(text.substr(0, colon))};
  if (colon < text.size()) target.compressor = parse_word<Compressor>(text.substr(colon + 1));
  return target;
}

// The name of a text option's value in help, for options that need a value. Null if the value may be left out.
const char* label_of(std::string_view field) {
  struct Label {
    std::string_view field;
    const char* label;
  };
  static constexpr Label kLabels[] = {{"custom_ops", "FILE"}, {"output_dir", "DIR"},     {"shape", "NAME=SHAPE"},
                                      {"dim", "NAME=SIZE"},   {"value", "NAME=NUMBERS"}, {"input", "NAME=FILE.npy"},
                                      {"samples", "DIR"},     {"recipe", "FILE"},        {"save_recipe", "FILE"},
                                      {"cost", "FILE"},       {"device", "DEVICE"},      {"labels", "FILE"},
                                      {"metric", "FILE"},     {"keep", "DIR"},           {"rules", "FILE"}};
  for (const Label& each : kLabels) {
    if (each.field == field) return each.label;
  }
  return nullptr;
}

// Whole numbers whose fields end in "_threshold" or "bytes" (and max_size) are sizes: 64KB is understood.
bool is_size_field(std::string_view name) {
  return name.ends_with("_threshold") || name.ends_with("bytes") || name == "max_size";
}

std::function<std::uint64_t(const std::string&)> number_parser(std::string_view field) {
  return is_size_field(field) ? parse_size : parse_number;
}

Option option_named(std::string_view field, std::string label, Takes takes, std::function<void(const Texts&)> set) {
  return {.names = {flag_name(field)}, .label = std::move(label), .takes = takes, .set = std::move(set)};
}

}  // namespace

Option& add_file_argument(Command& command, const char* name, std::string& path, const char* help) {
  Option& option = add_file(command, {name}, path, help);
  option.required = true;
  return option;
}

Option& add_file_argument(Command& command, const char* name, std::vector<std::string>& paths, const char* help) {
  const auto set = [&paths](const Texts& texts) { paths = texts; };
  return command.add(
      {.names = {name}, .label = "FILE", .help = help, .takes = Takes::kEach, .set = set, .required = true});
}

Option& add_file(Command& command, Texts names, std::string& path, const char* help) {
  const auto set = [&path](const Texts& texts) { path = texts.back(); };
  return command.add({.names = std::move(names), .label = "FILE", .help = help, .set = set});
}

Option& add_flag(Command& command, const char* name, bool& flag, std::string help) {
  const auto set = [&flag](const Texts&) { flag = true; };
  return command.add({.names = {name}, .help = std::move(help), .takes = Takes::kNothing, .set = set});
}

Option& add_json(Command& command, bool& json) {
  return add_flag(command, "--json", json,
                  fmt::format("print the report as JSON (docs/commands/{}.md lists the fields)", command.name));
}

Option& add_number(Command& command, const char* name, std::uint64_t& number, std::string help) {
  const auto set = [&number](const Texts& texts) { number = parse_number(texts.back()); };
  return command.add({.names = {name}, .label = "N", .help = std::move(help), .takes = Takes::kValue, .set = set});
}

std::size_t index_of_word(const std::string& word, const WordList& words) {
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string guess = nearest(word, Texts(words.begin(), words.end()));
  throw BadValue(fmt::format("'{}' is not one of {}{}", word, fmt::join(words, ", "),
                             guess.empty() ? "" : "; did you mean '" + guess + "'?"));
}

namespace detail {

Option option_of(std::string_view field, bool& value) {
  return option_named(field, "", Takes::kNothing, [&value](const Texts&) { value = true; });
}

Option option_of(std::string_view field, std::uint64_t& value) {
  return option_named(field, is_size_field(field) ? "BYTES" : "N", Takes::kValue,
                      [&value, parse = number_parser(field)](const Texts& texts) { value = parse(texts.back()); });
}

Option option_of(std::string_view field, std::optional<std::uint64_t>& value) {
  return option_named(field, is_size_field(field) ? "BYTES" : "N", Takes::kValue,
                      [&value, parse = number_parser(field)](const Texts& texts) { value = parse(texts.back()); });
}

Option option_of(std::string_view field, double& value) {
  return option_named(field, "X", Takes::kValue, [&value](const Texts& texts) { value = parse_real(texts.back()); });
}

Option option_of(std::string_view field, std::string& value) {
  const char* label = label_of(field);
  return option_named(field, label ? label : "TEXT", Takes::kValue,
                      [&value](const Texts& texts) { value = texts.back(); });
}

Option option_of(std::string_view field, std::optional<std::string>& value) {
  // Without a label, the text may be left out: --external-data, or --external-data NAME.
  const char* label = label_of(field);
  return option_named(field, label ? label : "NAME", label ? Takes::kValue : Takes::kMaybe,
                      [&value](const Texts& texts) { value = texts.back(); });
}

Option option_of(std::string_view field, std::vector<std::string>& value) {
  const char* label = label_of(field);
  return option_named(field, label ? label : "NAME=VALUE", Takes::kEach,
                      [&value](const Texts& texts) { value = texts; });
}

Option option_of(std::string_view field, Names& value) {
  return option_named(field, "NAME,...", Takes::kCommaList,
                      [&value](const Texts& texts) { value.insert(value.end(), texts.begin(), texts.end()); });
}

Option option_of(std::string_view field, std::optional<DownloadTarget>& value) {
  return option_named(field, "BYTES:COMPRESSOR", Takes::kValue,
                      [&value](const Texts& texts) { value = parse_download(texts.back()); });
}

Option option_of_words(std::string_view field, WordList words, bool list, std::function<void(std::size_t)> choose) {
  std::string label = fmt::format("{}", fmt::join(words, list ? "," : "|"));
  const auto set = [words = std::move(words), choose = std::move(choose)](const Texts& texts) {
    for (const std::string& word : texts) choose(index_of_word(word, words));
  };
  return option_named(field, std::move(label), list ? Takes::kCommaList : Takes::kValue, set);
}

}  // namespace detail

}  // namespace onnxpress::cli
