// Numbers of 4 to 16 bits as text: which bit pattern is nearest to a number, and the shortest number for a pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "onnxpress/base/small_float.h"

namespace onnxpress::text {

// Rounds to nearest, ties to the even pattern. Nullopt when the format cannot represent the number: it is too large, or
// an infinity or nan that the format does not have.
std::optional<std::uint32_t> small_float_bits(SmallFloat format, double value);
// Appends a short decimal number that rounds to this pattern, always with a point, exponent, inf or nan. Patterns that
// no number rounds to (nans with a payload) are written as integers.
void append_small_float(std::string& out, SmallFloat format, std::uint32_t bits);

}  // namespace onnxpress::text
