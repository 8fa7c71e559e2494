// Patterns for names: * stands for any text, ? for one character, and a backslash in front of one of them for the
// character itself.
#pragma once

#include <string>
#include <string_view>

namespace onnxpress {

bool fits_wildcards(std::string_view pattern, std::string_view text);

// The pattern that only this text fits.
std::string wildcards_for(std::string_view text);

}  // namespace onnxpress
