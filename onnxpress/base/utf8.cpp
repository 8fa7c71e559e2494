// Written by hand because mbrtowc() and wcwidth() depend on the locale, which is "C" in most containers even if the
// terminal can show more.
#include "onnxpress/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace onnxpress {

namespace {

struct Range {
  char32_t first, last;
};

constexpr Range kUnsafe[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x061c, 0x061c},
                             {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
                             {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}, {0x110000, 0xffffffff}};
constexpr Range kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
                           {0xf900, 0xfaff},   {0xfe30, 0xfe6f},  {0xff00, 0xff60}, {0xffe0, 0xffe6},
                           {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
constexpr Range kCombining[] = {{0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
                                {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

template <std::size_t N>
constexpr bool is_in(const Range (&ranges)[N], char32_t point) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [point](const Range& range) { return point >= range.first && point <= range.last; });
}

constexpr std::size_t kLongestCharacter = 4;

constexpr unsigned char unit_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

constexpr bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// The range of the character that a cut at `at` would divide; begin and end are `at` if there is none.
struct Cut {
  std::size_t begin, end;
};
Cut character_across(std::string_view text, std::size_t at) {
  for (std::size_t back = 1; back < kLongestCharacter && back <= at; ++back) {
    const std::size_t begin = at - back;
    if (is_continuation(unit_at(text, begin))) continue;
    const std::size_t end = begin + first_character(text.substr(begin)).length;
    if (end > at) return {begin, end};
    break;
  }
  return {at, at};
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  constexpr Utf8Character kBrokenByte = {Utf8Character::kBroken, 1};
  const unsigned char first = unit_at(text, 0);
  if (first < 0x80) return {first, 1};
  if (first < 0xc2 || first >= 0xf5) return kBrokenByte;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (length > text.size()) return kBrokenByte;
  char32_t point = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned char byte = unit_at(text, i);
    if (!is_continuation(byte)) return kBrokenByte;
    point = (point << 6) | (byte & 0x3fu);
  }
  constexpr std::array<char32_t, kLongestCharacter + 1> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = point >= 0xd800 && point < 0xe000;
  if (point < kLeast[length] || is_surrogate || point > 0x10ffff) return kBrokenByte;
  return {point, length};
}

bool is_valid_utf8(std::string_view text) {
  // Nearly every name is ASCII, and this loop is vectorized.
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  if (all < 0x80) return true;
  while (!text.empty()) {
    const auto [point, length] = first_character(text);
    if (point == Utf8Character::kBroken) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string_view utf8_head(std::string_view text, std::size_t bytes) {
  return bytes >= text.size() ? text : text.substr(0, character_across(text, bytes).begin);
}

std::string_view utf8_tail(std::string_view text, std::size_t bytes) {
  return bytes >= text.size() ? text : text.substr(character_across(text, text.size() - bytes).end);
}

bool is_unsafe_to_show(char32_t point) { return is_in(kUnsafe, point); }

std::size_t append_harmless(std::string& out, std::string_view text) {
  const auto [point, length] = first_character(text);
  if (!is_unsafe_to_show(point)) {
    out += text.substr(0, length);
  } else if (length == 1) {
    out += fmt::format("\\x{:02x}", unit_at(text, 0));
  } else {
    out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(point));
  }
  return length;
}

std::size_t columns_of(char32_t point) {
  if (point < 0x300) return 1;
  return is_in(kCombining, point) ? 0 : is_in(kWide, point) ? 2 : 1;
}

}  // namespace onnxpress
