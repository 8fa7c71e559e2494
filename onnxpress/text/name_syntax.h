// The words of the syntax, and how names are written so that they are not mistaken for one.
#pragma once

#include <string>
#include <string_view>

#include "onnxpress/ir/identifier.h"

namespace onnxpress::text {

// Whether the word begins a type: "float", "seq", ...
bool is_type_word(std::string_view word);

// Appends "text" on one line, for annotations: a line break is written \n.
void append_quoted_line(std::string& out, std::string_view text);
// Whether the name is an identifier and not a word of the syntax.
bool is_plain_name(std::string_view name);
// Appends the name as it is if it is plain, and quoted otherwise.
void append_name(std::string& out, std::string_view name);

}  // namespace onnxpress::text
