// Numbers to strings and back, by the rules of Cast.
#pragma once

#include "onnxpress/ops/convert.h"

namespace onnxpress::ops {

// Integers in decimal; floats with 8 digits and doubles with 17, as ONNX Runtime writes them; "NaN", "INF", "-INF".
std::optional<Array> converted_to_strings(const Array& numbers);
// nullopt when one is not a number.
std::optional<Array> converted_from_strings(const Array& strings, ElementType to, Conversion how);

}  // namespace onnxpress::ops
