// Makes command line options from the fields that an options struct lists (onnxpress/tasks/report/fields.h).
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/numbers.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/shrink/compressed_sizes.h"

namespace onnxpress::cli {

// "external_threshold" -> "--external-threshold"
inline std::string flag_name(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

namespace detail {

// All words of an enum, joined: "size|name|order" for one of them, "names,docs" for a list of them.
template <typename E>
std::string words_of(char separator) {
  std::string words;
  for (const auto& [word, value] : tasks::Words<E>::kAll) {
    if (!words.empty()) words += separator;
    words += word;
  }
  return words;
}

template <typename E>
std::optional<E> value_of_word(const std::string& word) {
  for (const auto& [each, value] : tasks::Words<E>::kAll) {
    if (each == word) return value;
  }
  return std::nullopt;
}

// Throws with the known words, and the nearest one if the word looks mistyped.
template <typename E>
E parse_word(const std::string& option, const std::string& word) {
  if (const auto value = value_of_word<E>(word)) return *value;
  std::vector<std::string> known;
  for (const auto& [each, value] : tasks::Words<E>::kAll) known.emplace_back(each);
  const std::string guess = nearest(word, known);
  throw CLI::ValidationError(option, "'" + word + "' is not one of " + CLI::detail::join(known, ", ") +
                                         (guess.empty() ? "" : "; did you mean '" + guess + "'?"));
}

inline std::uint64_t parse_number(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    throw CLI::ValidationError(option, "'" + text + "' is not a whole number");
  }
  return value;
}

inline std::uint64_t parse_size(const std::string& option, const std::string& text) {
  if (const auto bytes = parse_bytes(text)) return *bytes;
  throw CLI::ValidationError(option, "'" + text + "' is not a size such as 1024, 64KB or 1.5MiB");
}

// T of an optional<T>, else T.
template <typename T>
struct Plain {
  using Type = T;
};
template <typename T>
struct Plain<std::optional<T>> {
  using Type = T;
};

// Not negative, and finite: 1e-5.
inline double parse_real(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !(value >= 0) || std::isinf(value)) {
    throw CLI::ValidationError(option, "'" + text + "' is not a number such as 0.001 or 1e-5");
  }
  return value;
}

// "15MB:brotli"
inline tasks::DownloadTarget parse_download(const std::string& option, const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  tasks::DownloadTarget target{parse_size(option, text.substr(0, colon))};
  if (colon < text.size()) target.compressor = parse_word<tasks::Compressor>(option, text.substr(colon + 1));
  return target;
}

template <typename T>
struct IsEnumList : std::false_type {};
template <typename E>
struct IsEnumList<std::vector<E>> : std::is_enum<E> {};

// One option whose text is turned into a value by `parse`; the last one on the command line counts.
template <typename Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, const std::string& help, const std::string& label,
                        Parse parse) {
  auto* option = app.add_option_function<std::string>(name, parse, help);
  return option->type_name(label)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace detail

// What help calls the value of a text option; such an option needs one. Null: it may be left out.
inline const char* label_of(std::string_view field) {
  struct Label {
    std::string_view field;
    const char* label;
  };
  static constexpr Label kLabels[] = {{"custom_ops", "FILE"}, {"output_dir", "DIR"},     {"shape", "NAME=SHAPE"},
                                      {"dim", "NAME=SIZE"},   {"value", "NAME=NUMBERS"}, {"input", "NAME=FILE.npy"},
                                      {"samples", "DIR"}};
  for (const Label& each : kLabels) {
    if (each.field == field) return each.label;
  }
  return nullptr;
}

// Whole numbers whose fields end in "_threshold" or "bytes" (and target_size) are sizes: 64KB is understood.
inline bool is_size_field(std::string_view name) {
  return name.ends_with("_threshold") || name.ends_with("bytes") || name == "target_size";
}

// Adds one option per field. `options` must live as long as `app`. Fields of flattened structs go into a group of their
// own.
template <typename Options>
void add_options(CLI::App& app, Options& options, const std::string& group = "Options") {
  Options::fields([&](std::string_view field, auto member, std::string_view help_text) {
    auto& value = options.*member;
    using Value = std::remove_cvref_t<decltype(value)>;
    const std::string name = flag_name(field), help(help_text);
    if constexpr (tasks::HasFields<Value>) {
      add_options(app, value, std::string(Value::kTitle));
    } else if constexpr (std::is_same_v<Value, bool>) {
      app.add_flag_callback(
             name, [&value] { value = true; }, help)
          ->group(group);
    } else if constexpr (std::is_same_v<Value, std::optional<std::string>>) {
      // A text that may be left out: --external-data, or --external-data NAME.
      const auto parse = [&value](const std::string& text) { value = text; };
      const char* label = label_of(field);
      auto* option = detail::add_parsed(app, name, help, label ? label : "NAME", parse)->group(group);
      if (!label) option->expected(0, 1);
    } else if constexpr (detail::IsEnumList<Value>::value) {
      using Enum = typename Value::value_type;
      const auto parse = [&value, name](const std::vector<std::string>& words) {
        for (const std::string& word : words) value.push_back(detail::parse_word<Enum>(name, word));
      };
      auto* option = app.add_option_function<std::vector<std::string>>(name, parse, help);
      option->type_name(detail::words_of<Enum>(','))->delimiter(',')->allow_extra_args(false)->group(group);
    } else if constexpr (std::is_same_v<Value, tasks::Names>) {
      const auto add = [&value](const std::vector<std::string>& names) {
        value.insert(value.end(), names.begin(), names.end());
      };
      auto* option = app.add_option_function<std::vector<std::string>>(name, add, help);
      option->type_name("NAME,...")->delimiter(',')->allow_extra_args(false)->group(group);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      // May be given several times: --shape x=1x3 --shape y=2.
      const char* label = label_of(field);
      app.add_option(name, value, help)->type_name(label ? label : "NAME=VALUE")->allow_extra_args(false)->group(group);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      // Files complete as such; other texts do not.
      const bool is_file = field.ends_with("recipe");
      const char* label = label_of(field);
      detail::add_parsed(app, name, help,
                         label     ? label
                         : is_file ? "FILE"
                                   : "TEXT",
                         [&value](const std::string& text) { value = text; })
          ->group(group);
    } else if constexpr (std::is_same_v<Value, double>) {
      const auto parse = [&value, name](const std::string& text) { value = detail::parse_real(name, text); };
      detail::add_parsed(app, name, help, "X", parse)->group(group);
    } else if constexpr (std::is_same_v<Value, std::optional<tasks::DownloadTarget>>) {
      const auto parse = [&value, name](const std::string& text) { value = detail::parse_download(name, text); };
      detail::add_parsed(app, name, help, "BYTES:COMPRESSOR", parse)->group(group);
    } else if constexpr (std::is_enum_v<typename detail::Plain<Value>::Type>) {
      using Enum = typename detail::Plain<Value>::Type;
      const auto parse = [&value, name](const std::string& word) { value = detail::parse_word<Enum>(name, word); };
      detail::add_parsed(app, name, help, detail::words_of<Enum>('|'), parse)->group(group);
    } else if constexpr (std::is_integral_v<typename detail::Plain<Value>::Type>) {
      const bool size = is_size_field(field);
      const auto parse = [&value, name, size](const std::string& text) {
        value = size ? detail::parse_size(name, text) : detail::parse_number(name, text);
      };
      detail::add_parsed(app, name, help, size ? "BYTES" : "N", parse)->group(group);
    } else {
      static_assert(std::is_same_v<Value, void>, "no command line form for this type");
    }
  });
}

}  // namespace onnxpress::cli
