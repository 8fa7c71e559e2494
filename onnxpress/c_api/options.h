// Reads the option structs of the C interface, which may be older or newer than this library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "onnxpress/base/suggest.h"
#include "onnxpress/c_api/guard.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress::c_api {

// Throws BadCall unless the struct has a sensible size, and zeros where this library knows no field.
void require_known(const void* given, std::size_t known);

// A copy of the options; fields that an older caller does not have are zero. Null means that all are.
template <typename Options>
Options options_in(const Options* given) {
  static_assert(std::is_trivially_copyable_v<Options> && offsetof(Options, size) == 0);
  static_assert(sizeof(void*) != 8 || sizeof(Options) % 8 == 0);
  Options options{};
  if (given) {
    require_known(given, sizeof(Options));
    std::memcpy(&options, given, given->size < sizeof(Options) ? given->size : sizeof(Options));
  }
  options.size = sizeof(Options);
  return options;
}

std::string text_in(const char* given);
Names names_in(const char* const* given);
std::vector<std::string> texts_in(const char* const* given);
std::optional<std::string> optional_text_in(const char* given);

// Throws BadCall for a negative number; `unset` stands for 0.
std::uint64_t count_in(const char* option, std::int64_t given, std::uint64_t unset = 0);
std::optional<std::uint64_t> optional_count_in(const char* option, std::int64_t given);
// Throws BadCall for a negative number, or NaN.
double amount_in(const char* option, double given);
// Throws BadCall unless it is 0 or 1.
bool flag_in(const char* option, std::int64_t given);

// Throws BadCall with the words that there are.
[[noreturn]] void refuse_word(const char* option, const std::string& given, const std::vector<std::string>& words);

template <typename Enum>
std::optional<Enum> optional_word_in(const char* option, const char* given) {
  if (!given) return std::nullopt;
  std::vector<std::string> words;
  for (const auto& [word, value] : Words<Enum>::kAll) {
    if (word == given) return value;
    words.emplace_back(word);
  }
  refuse_word(option, given, words);
}

template <typename Enum>
Enum word_in(const char* option, const char* given, Enum unset) {
  return optional_word_in<Enum>(option, given).value_or(unset);
}

// For options with the three lists of bindings.
template <typename Options>
BindingOptions bindings_in(const Options& given) {
  BindingOptions bindings;
  bindings.shape = texts_in(given.shape);
  bindings.dim = texts_in(given.dim);
  bindings.value = texts_in(given.value);
  return bindings;
}

}  // namespace onnxpress::c_api
