// Sets options that list their fields (tasks/report/fields.h) from JSON, and lists them with their types.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/base/parse_bytes.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/tasks/by_name/task_calls.h"
#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

namespace detail {

template <typename T>
struct ListOf {};
template <typename T>
struct ListOf<std::vector<T>> {
  using Element = T;
};
template <>
struct ListOf<Names> {
  using Element = std::string;
};
template <typename T>
concept IsList = requires {
  typename ListOf<T>::Element;
};
template <typename T>
concept HasWords = std::is_enum_v<T> && requires {
  Words<T>::kAll;
};
template <typename T>
struct OptionalOf {};
template <typename T>
struct OptionalOf<std::optional<T>> {
  using Inner = T;
};
template <typename T>
concept MayBeAbsent = requires {
  typename OptionalOf<T>::Inner;
};

template <typename T>
std::string words_of() {
  std::string words;
  for (const auto& [word, value] : Words<T>::kAll) words += (words.empty() ? "" : "|") + std::string(word);
  return words;
}

// "" for fields that JSON cannot set.
template <typename T>
std::string kind_of() {
  if constexpr (MayBeAbsent<T>) {
    return kind_of<typename OptionalOf<T>::Inner>();
  } else if constexpr (IsList<T>) {
    return kind_of<typename ListOf<T>::Element>().empty() ? "" : "list";
  } else if constexpr (HasWords<T>) {
    return words_of<T>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_integral_v<T>) {
    return "int";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "float";
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, DownloadTarget>) {
    return "str";
  } else {
    return "";
  }
}

[[noreturn]] inline void refuse(std::string_view name, const std::string& wanted) {
  throw OptionError(fmt::format("option {} must be {}", quote_name(name), wanted));
}

template <typename T>
T whole_number_in(std::string_view name, const nlohmann::json& given) {
  using Limits = std::numeric_limits<T>;
  if (!given.is_number_integer()) refuse(name, "a whole number");
  const bool fits = given.is_number_unsigned() ? std::in_range<T>(given.get<std::uint64_t>())
                                               : std::in_range<T>(given.get<std::int64_t>());
  if (!fits) refuse(name, fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
  return given.get<T>();
}

// "15MB:brotli", "15MB", or a number of bytes.
inline DownloadTarget download_target_in(std::string_view name, const nlohmann::json& given) {
  const std::string text = given.is_string() ? given.get<std::string>() : given.dump();
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto bytes = parse_bytes(std::string_view(text).substr(0, colon));
  if (bytes && colon == text.size()) return {.bytes = *bytes};
  for (const auto& [word, compressor] : Words<Compressor>::kAll) {
    if (bytes && text.substr(colon + 1) == word) return {*bytes, compressor};
  }
  refuse(name, fmt::format("a size and a compressor ({}), such as 15MB:brotli", words_of<Compressor>()));
}

template <typename T>
void assign(std::string_view name, T& value, const nlohmann::json& given) {
  if constexpr (MayBeAbsent<T>) {
    if (given.is_null()) {
      value.reset();
    } else {
      assign(name, value.emplace(), given);
    }
  } else if constexpr (IsList<T>) {
    value.clear();
    if (!given.is_array()) return assign(name, value.emplace_back(), given);
    for (const nlohmann::json& each : given) {
      typename ListOf<T>::Element element{};
      assign(name, element, each);
      value.push_back(std::move(element));
    }
  } else if constexpr (HasWords<T>) {
    if (given.is_string()) {
      for (const auto& [word, each] : Words<T>::kAll) {
        if (word == given.get_ref<const std::string&>()) {
          value = each;
          return;
        }
      }
    }
    refuse(name, "one of " + words_of<T>());
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!given.is_boolean()) refuse(name, "true or false");
    value = given.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    value = whole_number_in<T>(name, given);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!given.is_number()) refuse(name, "a number");
    value = given.get<T>();
  } else if constexpr (std::is_same_v<T, DownloadTarget>) {
    value = download_target_in(name, given);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!given.is_string()) refuse(name, "a string");
    value = given.get<std::string>();
  } else {
    throw OptionError(fmt::format("option {} cannot be set here", quote_name(name)));
  }
}

template <typename Options>
bool set_field(Options& options, const std::string& wanted, const nlohmann::json& given) {
  bool found = false;
  Fields<Options>::visit([&](std::string_view name, auto member, std::string_view) {
    using Field = std::remove_cvref_t<decltype(options.*member)>;
    if constexpr (HasFields<Field>) {
      if (name.empty()) found = found || set_field(options.*member, wanted, given);
    }
    if (name != wanted) return;
    found = true;
    assign(wanted, options.*member, given);
  });
  return found;
}

template <typename Options>
void list_fields(std::vector<TaskOption>& list) {
  Fields<Options>::visit([&](std::string_view name, auto member, std::string_view help) {
    using Field = std::remove_cvref_t<decltype(std::declval<Options>().*member)>;
    if constexpr (HasFields<Field>) {
      if (name.empty()) list_fields<Field>(list);
    }
    const std::string kind = kind_of<Field>();
    if (!name.empty() && !kind.empty()) list.push_back({std::string(name), kind, std::string(help)});
  });
}

}  // namespace detail

template <typename Options>
std::vector<TaskOption> listed_options() {
  std::vector<TaskOption> list;
  detail::list_fields<Options>(list);
  return list;
}

inline nlohmann::json parsed_options(std::string_view json) {
  if (json.empty()) return nlohmann::json::object();
  nlohmann::json given = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!given.is_object()) throw OptionError("options must be a JSON object");
  return given;
}

inline void set_no_options(std::string_view task, std::string_view json) {
  if (!parsed_options(json).empty()) throw OptionError(fmt::format("{} has no options", task));
}

// Throws Error for an unknown option, with the nearest known one, and for a value of the wrong kind.
template <typename Options>
void set_options(Options& options, std::string_view json) {
  const nlohmann::json given = parsed_options(json);
  for (const auto& [name, value] : given.items()) {
    if (detail::set_field(options, name, value)) continue;
    std::vector<std::string> known;
    for (const TaskOption& each : listed_options<Options>()) known.push_back(each.name);
    const std::string guess = nearest(name, known);
    throw OptionError(fmt::format("there is no option {}", quote_name(name)),
                      guess.empty() ? fmt::format("the options are {}", fmt::join(known, ", "))
                                    : fmt::format("did you mean {}?", quote_name(guess)));
  }
}

template <typename Options>
Options options_in(std::string_view json) {
  Options options;
  set_options(options, json);
  return options;
}

}  // namespace onnxpress
