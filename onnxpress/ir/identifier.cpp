// Identifiers and quoting.
#include "onnxpress/ir/identifier.h"

#include <algorithm>

namespace onnxpress {

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

bool is_qualified(std::string_view name) {
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    if (!is_identifier(name.substr(0, dot))) return false;
    name.remove_prefix(dot + 1);
  }
  return is_identifier(name);
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void append_word(std::string& out, std::string_view word) {
  is_identifier(word) ? static_cast<void>(out += word) : append_quoted(out, word);
}

void append_qualified(std::string& out, std::string_view name) {
  is_qualified(name) ? static_cast<void>(out += name) : append_quoted(out, name);
}

}  // namespace onnxpress
