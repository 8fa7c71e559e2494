// Cursor: walks over ONNX text and reads names, strings and numbers. Its errors give the line and column and show the
// place.
#pragma once

#include <string>
#include <string_view>

#include "onnxpress/base/arena.h"

namespace onnxpress::text {

// A number as written in the text. Its type depends on where it stands, so nothing is converted yet.
struct Number {
  enum class Kind {
    kInteger,
    kReal,     // with a point or an exponent, or nan, inf, infinity
    kNanBits,  // nan(0x7fc00001): `text` is the hexadecimal pattern
  };
  Kind kind = Kind::kInteger;
  std::string_view text;
};

class Cursor {
 public:
  // `arena` holds strings that had to be unescaped; all others are views of `source`.
  Cursor(std::string_view source, Arena& arena);

  // All of these skip spaces and comments first. A `#@` comment is not skipped: it holds annotations, see
  // parse_annotations.cpp.
  bool at_end() { return place() == end_; }
  const char* place();  // where the next token begins
  char peek() { return at_end() ? '\0' : *next_; }
  std::size_t remaining() { return rest().size(); }
  bool starts(std::string_view exact) { return rest().substr(0, exact.size()) == exact; }

  bool take(char c);
  bool take(std::string_view exact);
  // Throws Error "expected 'c' <context>".
  void expect(char c, std::string_view context);
  void expect(std::string_view exact, std::string_view context);

  std::string_view peek_identifier();
  std::string_view take_identifier();  // empty when there is none
  std::string_view take_word();        // letters and digits in any order
  // The character after the next identifier, skipping spaces.
  char peek_after_identifier();
  std::string_view identifier(std::string_view what);  // Error "expected <what>"

  bool at_string() { return peek() == '"'; }
  std::string_view string(std::string_view what);
  // An identifier or a string.
  bool at_name();
  std::string_view name(std::string_view what);

  bool at_number();
  Number number(std::string_view what);

  // Hide everything after the current line, and show it again, because annotations end with their line. In between, \n
  // in a string is a line break.
  void narrow_to_line();
  void widen();

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) { fail_at(place(), message, hint); }
  [[noreturn]] void fail_at(const char* place, const std::string& message, const std::string& hint = {}) const;

 private:
  std::string_view rest() {
    const char* begin = place();
    return {begin, static_cast<std::size_t>(end_ - begin)};
  }
  std::string_view unescaped(std::string_view raw);
  std::string_view digits();
  Number special_number(const char* begin);

  const char* begin_;
  const char* next_;
  const char* end_;
  const char* whole_end_;
  bool in_line_ = false;
  Arena& arena_;
};

// nan, inf or infinity, in any case.
bool is_special_number(std::string_view text);

}  // namespace onnxpress::text
