// The words of the syntax, and how names are written so that they are not taken for one.
#pragma once

#include <string>
#include <string_view>

namespace onnxpress::text {

// Begins a type: "float", "seq", ...
bool is_type_word(std::string_view word);

// "text" with quotes and backslashes escaped; everything else stands for itself, line breaks too.
void append_quoted(std::string& out, std::string_view text);
// The same on one line, for annotations: a line break is \n.
void append_quoted_line(std::string& out, std::string_view text);
// Identifiers with dots between them.
bool is_qualified(std::string_view name);
// As it is if it is an identifier; quoted otherwise.
void append_word(std::string& out, std::string_view word);
// An identifier, and no word of the syntax.
bool is_plain_name(std::string_view name);
// As it is if it is plain; quoted otherwise.
void append_name(std::string& out, std::string_view name);

}  // namespace onnxpress::text
