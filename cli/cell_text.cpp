// Decodes UTF-8 by hand: wcwidth() depends on the locale, which is "C" in most containers whatever the terminal can
// show.
#include "cli/cell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace onnxpress::cli {

namespace {

constexpr char32_t kBroken = 0xffffffff;

struct Decoded {
  char32_t point;      // kBroken: not UTF-8
  std::size_t length;  // bytes, at least 1
};

// The character at the beginning of `text`, which is not empty.
Decoded decode(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf5 || length > text.size()) return {kBroken, 1};
  char32_t point = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {kBroken, 1};
    point = (point << 6) | (byte(i) & 0x3fu);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  if (point < kLeast[length] || surrogate || point > 0x10ffff) return {kBroken, 1};
  return {point, length};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
constexpr bool is_in(const Range (&ranges)[N], char32_t point) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [point](const Range& range) { return point >= range.first && point <= range.last; });
}

// Would be invisible, or would reorder what stands around it.
constexpr Range kUnsafe[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},      {0x061c, 0x061c},
                             {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                             {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
constexpr Range kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf}, {0xac00, 0xd7a3},
                           {0xf900, 0xfaff},   {0xfe30, 0xfe6f},  {0xff00, 0xff60}, {0xffe0, 0xffe6},
                           {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
constexpr Range kCombining[] = {{0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
                                {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

std::size_t width_of(char32_t point) {
  if (point < 0x300) return 1;
  return is_in(kCombining, point) ? 0 : is_in(kWide, point) ? 2 : 1;
}

void append_printable(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto [point, length] = decode(text);
    if (point == '\n') {
      out += "\\n";
    } else if (point == '\t') {
      out += "\\t";
    } else if (point == kBroken || (point < 0x80 && is_in(kUnsafe, point))) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_in(kUnsafe, point)) {
      out += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(point));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
}

// The longest beginning of at most `width` columns.
std::string_view head(std::string_view text, std::size_t width) {
  std::size_t at = 0, used = 0;
  while (at < text.size()) {
    const auto [point, length] = decode(text.substr(at));
    used += width_of(point);
    if (used > width) break;
    at += length;
  }
  return text.substr(0, at);
}

// What is left after dropping from the front until at most `width` columns remain.
std::string_view tail(std::string_view text, std::size_t width) {
  for (std::size_t left = display_width(text); left > width;) {
    const auto [point, length] = decode(text);
    left -= width_of(point);
    text.remove_prefix(length);
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 4096, kEnd = 1024;  // a name of a megabyte is an attack, and no screen shows it
  std::string out;
  if (text.size() <= kLongest) {
    append_printable(out, text);
  } else {
    append_printable(out, text.substr(0, kEnd));
    out += fmt::format("…({} bytes)…", text.size());
    append_printable(out, text.substr(text.size() - kEnd));
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

std::size_t display_width(std::string_view printable_text) {
  std::size_t width = 0;
  while (!printable_text.empty()) {
    const auto [point, length] = decode(printable_text);
    width += width_of(point);
    printable_text.remove_prefix(length);
  }
  return width;
}

std::string elided(std::string_view printable_text, std::size_t width) {
  if (display_width(printable_text) <= width) return std::string(printable_text);
  if (width == 0) return {};
  // The end tells tensors of one layer apart, so it gets the larger half.
  const std::string_view front = head(printable_text, (width - 1) / 2);
  return fmt::format("{}…{}", front, tail(printable_text, width - 1 - display_width(front)));
}

}  // namespace onnxpress::cli
