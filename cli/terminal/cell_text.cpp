// Escapes text for a terminal, measures its width in columns, and cuts it to fit.
#include "cli/terminal/cell_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/utf8.h"

namespace onnxpress::cli {

namespace {

void append_printable(std::string& out, std::string_view text) {
  while (!text.empty()) {
    if (text[0] == '\n' || text[0] == '\t') {
      out += text[0] == '\n' ? "\\n" : "\\t";
      text.remove_prefix(1);
    } else {
      text.remove_prefix(append_harmless(out, text));
    }
  }
}

// The longest beginning of at most `width` columns.
std::string_view head(std::string_view text, std::size_t width) {
  std::size_t at = 0, used = 0;
  while (at < text.size()) {
    const auto [point, length] = first_character(text.substr(at));
    used += columns_of(point);
    if (used > width) break;
    at += length;
  }
  return text.substr(0, at);
}

// What is left after dropping from the front until at most `width` columns remain.
std::string_view tail(std::string_view text, std::size_t width) {
  for (std::size_t left = display_width(text); left > width;) {
    const auto [point, length] = first_character(text);
    left -= columns_of(point);
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
    append_printable(out, utf8_head(text, kEnd));
    out += fmt::format("…({} bytes)…", text.size());
    append_printable(out, utf8_tail(text, kEnd));
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
    const auto [point, length] = first_character(printable_text);
    width += columns_of(point);
    printable_text.remove_prefix(length);
  }
  return width;
}

std::size_t common_prefix(std::span<const std::string_view> texts) {
  if (texts.size() < 2) return 0;
  std::string_view common = texts.front();
  for (const std::string_view text : texts) {
    const auto end = std::mismatch(common.begin(), common.end(), text.begin(), text.end()).first;
    common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
  }
  return common.find_last_of("/.:") + 1;  // npos + 1: none
}

std::string elided(std::string_view printable_text, std::size_t width) {
  if (display_width(printable_text) <= width) return std::string(printable_text);
  if (width == 0) return {};
  // The end tells tensors of one layer apart, so it gets the larger half.
  const std::string_view front = head(printable_text, (width - 1) / 2);
  return fmt::format("{}…{}", front, tail(printable_text, width - 1 - display_width(front)));
}

}  // namespace onnxpress::cli
