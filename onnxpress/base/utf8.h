// UTF-8 from untrusted files: its characters, whether it is valid, and how to show it safely.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onnxpress {

struct Utf8Character {
  static constexpr char32_t kBroken = 0xffffffff;

  char32_t point;      // kBroken: these bytes are not UTF-8
  std::size_t length;  // in bytes, at least 1; 1 when broken
};

// The character at the beginning of `text`, which must not be empty. Overlong forms, halves of UTF-16 pairs and code
// points beyond U+10FFFF count as broken.
Utf8Character first_character(std::string_view text);
bool is_valid_utf8(std::string_view text);

// The longest beginning, or end, of at most `bytes` bytes that does not cut a character in half.
std::string_view utf8_head(std::string_view text, std::size_t bytes);
std::string_view utf8_tail(std::string_view text, std::size_t bytes);

// Whether a character is a control character (which may move the cursor or change colours), is invisible, or reorders
// the text around it. Broken bytes are unsafe as well.
bool is_unsafe_to_show(char32_t point);
// Appends the first character of `text`, as \xNN or \u{N} when it is unsafe to show; returns its length in `text`.
std::size_t append_harmless(std::string& out, std::string_view text);

// The width in columns of a terminal: CJK and emoji take two, combining marks none.
std::size_t columns_of(char32_t point);

}  // namespace onnxpress
