// Float16 and bfloat16 as floats, for ops that compute in float and round at the end.
#pragma once

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// float16 and bfloat16 become float; arrays of other types are returned as they are.
Array widened(const Array& array);
// The reverse: rounds a float array to float16 or bfloat16, and a double one to float; others are returned as they are.
Array narrowed(Array array, ElementType type);

// Can this type be computed by kernels for float and double?
inline bool is_float_like(ElementType type) {
  return type == ElementType::kFloat || type == ElementType::kDouble || type == ElementType::kFloat16 ||
         type == ElementType::kBfloat16;
}
using WideFloats = TypeList<ElementType::kFloat, ElementType::kDouble>;

}  // namespace onnxpress::ops
