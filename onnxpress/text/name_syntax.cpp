// Type words and quoting.
#include "onnxpress/text/name_syntax.h"

#include "onnxpress/ir/element_type.h"
#include "onnxpress/text/cursor.h"

namespace onnxpress::text {

bool is_type_word(std::string_view word) {
  return word == "seq" || word == "map" || word == "optional" || word == "sparse_tensor" || word == "opaque" ||
         element_type_named(word).has_value();
}

void append_quoted_line(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '\n') out += '\\';
    out += c == '\n' ? 'n' : c;
  }
  out += '"';
}

bool is_plain_name(std::string_view name) {
  return is_identifier(name) && !is_type_word(name) && !is_special_number(name) &&
         name != name_of(ElementType::kUndefined);
}

void append_name(std::string& out, std::string_view name) {
  if (is_plain_name(name)) {
    out += name;
  } else {
    append_quoted(out, name);
  }
}

}  // namespace onnxpress::text
