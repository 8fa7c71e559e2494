// The words of the syntax, and how names are written so that they are not taken for one.
#pragma once

#include <string>
#include <string_view>

#include "onnxpress/ir/identifier.h"

namespace onnxpress::text {

// Begins a type: "float", "seq", ...
bool is_type_word(std::string_view word);

// "text" on one line, for annotations: a line break is \n.
void append_quoted_line(std::string& out, std::string_view text);
// An identifier, and no word of the syntax.
bool is_plain_name(std::string_view name);
// As it is if it is plain; quoted otherwise.
void append_name(std::string& out, std::string_view name);

}  // namespace onnxpress::text
