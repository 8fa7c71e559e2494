// Lists the options that were given (the fields that differ from their defaults), spelled as on the command line.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/arguments/flag_text.h"
#include "cli/arguments/options.h"

namespace onnxpress::cli {

namespace detail {

// T of an optional<T>, else T.
template <typename T>
struct Plain {
  using Type = T;
};
template <typename T>
struct Plain<std::optional<T>> {
  using Type = T;
};

template <typename T>
std::string option_text(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(word_of(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return shell_word(value);
  } else if constexpr (std::is_same_v<T, Names>) {
    return shell_word(fmt::format("{}", fmt::join(value, ",")));
  } else if constexpr (std::is_same_v<T, DownloadTarget>) {
    return fmt::format("{}:{}", value.bytes, word_of(value.compressor));
  } else {
    return fmt::format("{}", value);
  }
}

}  // namespace detail

// --to int8, --verify, ... in the order of the fields; each text of a list becomes an option.
template <typename Options>
void add_given_options(const Options& options, std::vector<std::string>& out) {
  const Options standard;
  Fields<Options>::visit([&](std::string_view field, auto member, std::string_view) {
    const auto& value = options.*member;
    using Value = std::remove_cvref_t<decltype(value)>;
    const std::string name = flag_name(field);
    if constexpr (HasFields<Value>) {
      add_given_options(value, out);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      for (const std::string& each : value) out.push_back(name + " " + detail::option_text(each));
    } else if (value != standard.*member) {
      if constexpr (std::is_same_v<Value, bool>) {
        out.push_back(name);
      } else if constexpr (std::is_same_v<Value, std::optional<typename detail::Plain<Value>::Type>>) {
        out.push_back(name + " " + detail::option_text(*value));
      } else {
        out.push_back(name + " " + detail::option_text(value));
      }
    }
  });
}

template <typename Options>
std::vector<std::string> given_options(const Options& options) {
  std::vector<std::string> out;
  add_given_options(options, out);
  return out;
}

}  // namespace onnxpress::cli
