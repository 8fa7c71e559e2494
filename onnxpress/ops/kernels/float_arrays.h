// Views arrays of any number type as float or double, for kernels that are written for these two only.
#pragma once

#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

// Elements of any number type or bool as T (float or double); an array without a type when it has none.
template <typename T>
Array converted(const Array& array);
extern template Array converted<float>(const Array&);
extern template Array converted<double>(const Array&);

// The numbers as elements of a number type or bool: floats are rounded, integers truncated and kept in range, and any
// number except 0 is true. Nullopt for other types. The count must match the sizes.
std::optional<Array> array_from(std::span<const double> numbers, Sizes sizes, ElementType type);

// Calls `work.template operator()<T>(x)` with T float or double and x the widened array; false for other types.
template <typename Work>
bool dispatch_wide(const Array& array, Work&& work) {
  switch (array.type()) {
    case ElementType::kFloat:
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
      return work.template operator()<float>(widened(array));
    case ElementType::kDouble:
      return work.template operator()<double>(array);
    default:
      return false;
  }
}

}  // namespace onnxpress::ops
