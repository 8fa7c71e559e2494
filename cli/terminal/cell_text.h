// Makes text from untrusted files safe to show: nothing in a name can move the cursor, change colors or break a table.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace onnxpress::cli {

// The text with control characters, invisible and direction-changing characters and broken UTF-8 written as \xNN, \n or
// \u{N}. Long texts are cut to a few thousand characters.
std::string printable(std::string_view text);
// The same for a message of several lines: its line breaks stay.
std::string printable_lines(std::string_view text);
// Columns that printable text takes on a terminal: CJK and emoji take two, combining marks none.
std::size_t display_width(std::string_view printable_text);
// The length in bytes of the beginning that all texts share, up to and including its last '/', '.' or ':'. 0 for fewer
// than two texts.
std::size_t common_prefix(std::span<const std::string_view> texts);
// At most `width` columns, the middle left out: "encoder.layer…attn.weight".
std::string elided(std::string_view printable_text, std::size_t width);

}  // namespace onnxpress::cli
