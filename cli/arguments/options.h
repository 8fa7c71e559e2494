// Makes command line options from the fields that an options struct lists (onnxpress/tasks/report/fields.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/arguments/command_line.h"
#include "cli/arguments/flag_text.h"
#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::cli {

// Options that a command adds by itself. The targets must live as long as the command.
Option& add_file_argument(Command& command, const char* name, std::string& path, const char* help);
Option& add_file_argument(Command& command, const char* name, std::vector<std::string>& paths, const char* help);
Option& add_file(Command& command, Texts names, std::string& path, const char* help);
Option& add_flag(Command& command, const char* name, bool& flag, std::string help);
// --json, which prints the report of the command.
Option& add_json(Command& command, bool& json);
Option& add_number(Command& command, const char* name, std::uint64_t& number, std::string help);

// The words for the values of an enum on the command line, in the order of Words<E>::kAll.
using WordList = std::vector<std::string_view>;

template <typename E>
WordList words_of() {
  WordList words;
  for (const auto& [word, value] : Words<E>::kAll) words.push_back(word);
  return words;
}

// Position of `word`. Throws BadValue with the known words, and the nearest one if the word looks mistyped.
std::size_t index_of_word(const std::string& word, const WordList& words);

template <typename E>
E parse_word(const std::string& word) {
  return Words<E>::kAll[index_of_word(word, words_of<E>())].second;
}

namespace detail {

// One function for each type that a field can have. They are not templates, because there are many options but few
// types.
Option option_of(std::string_view field, bool& value);
Option option_of(std::string_view field, std::uint64_t& value);
Option option_of(std::string_view field, std::optional<std::uint64_t>& value);
Option option_of(std::string_view field, double& value);
Option option_of(std::string_view field, std::string& value);
Option option_of(std::string_view field, std::optional<std::string>& value);
Option option_of(std::string_view field, std::vector<std::string>& value);
Option option_of(std::string_view field, Names& value);
Option option_of(std::string_view field, std::optional<DownloadTarget>& value);
// `choose` is called with the position of each word.
Option option_of_words(std::string_view field, WordList words, bool list, std::function<void(std::size_t)> choose);

template <typename E>
requires std::is_enum_v<E> Option option_of(std::string_view field, E& value) {
  return option_of_words(field, words_of<E>(), false, [&value](std::size_t i) { value = Words<E>::kAll[i].second; });
}
template <typename E>
requires std::is_enum_v<E> Option option_of(std::string_view field, std::optional<E>& value) {
  return option_of_words(field, words_of<E>(), false, [&value](std::size_t i) { value = Words<E>::kAll[i].second; });
}
template <typename E>
requires std::is_enum_v<E> Option option_of(std::string_view field, std::vector<E>& value) {
  return option_of_words(field, words_of<E>(), true,
                         [&value](std::size_t i) { value.push_back(Words<E>::kAll[i].second); });
}

}  // namespace detail

// Adds one option per field. `options` must live as long as the command. Fields of flattened structs go into a group of
// their own.
template <typename Options>
void add_options(Command& command, Options& options, std::string_view group = "Options") {
  Fields<Options>::visit([&](std::string_view field, auto member, std::string_view help) {
    auto& value = options.*member;
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (HasFields<Value>) {
      add_options(command, value, Value::kTitle);
    } else {
      Option& option = command.add(detail::option_of(field, value));
      option.help = with_flags(help);
      option.group = group;
    }
  });
}

}  // namespace onnxpress::cli
