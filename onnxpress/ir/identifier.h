// Names as ONNX text writes them: identifiers as they are, others quoted so that no name can be taken for something
// else.
#pragma once

#include <string>
#include <string_view>

namespace onnxpress {

// Not those of <cctype>, which depend on the locale; the text must not.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

// Letters, digits and '_', not beginning with a digit.
bool is_identifier(std::string_view text);
// Identifiers with dots between them.
bool is_qualified(std::string_view name);

// Appends "text" with quotes and backslashes escaped; all other characters, line breaks too, stay as they are.
void append_quoted(std::string& out, std::string_view text);
// Appends the word as it is if it is an identifier, and quoted otherwise.
void append_word(std::string& out, std::string_view word);
// The same for names with dots.
void append_qualified(std::string& out, std::string_view name);

}  // namespace onnxpress
