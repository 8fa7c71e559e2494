// Copies arrays with their axes in another order.
#pragma once

#include <span>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// Axis i of the result is axis order[i] of the array, which must not hold strings. `order` is a permutation.
Array permuted(const Array& array, std::span<const std::size_t> order);
// Copies elements at `strides` (in elements, one per axis of `sizes`; 0 repeats, and several axes may share a source
// axis). Every element that is reached must exist.
Array gathered(const Array& array, const Sizes& sizes, const Sizes& strides);

}  // namespace onnxpress::ops
