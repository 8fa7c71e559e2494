// Numbers of 4 to 16 bits as text: which bit pattern is nearest to a number, and the shortest number for a pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "onnxpress/base/small_float.h"

namespace onnxpress::text {

// Rounds to nearest, ties to the even pattern. Empty when the format has nothing for it: too large, or no infinity or
// nan.
std::optional<std::uint32_t> small_float_bits(SmallFloat format, double value);
// The shortest decimal number that rounds to this pattern, always with a point, exponent, inf or nan. Patterns that no
// number leads to (nans with a payload) are written as the integer that they are.
void append_small_float(std::string& out, SmallFloat format, std::uint32_t bits);

}  // namespace onnxpress::text
