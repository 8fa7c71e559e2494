// Numbers to strings and back, by the rules of Cast.
#pragma once

#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::ops {

// Integers in decimal; floating-point numbers with the fewest digits that read back as the same number, like the
// official tests (ONNX Runtime writes 8 digits); "NaN", "INF", "-INF".
std::optional<Array> converted_to_strings(const Array& numbers);
// Nullopt when a string is not a number.
std::optional<Array> converted_from_strings(const Array& strings, ElementType to, Conversion how);

}  // namespace onnxpress::ops
