// Joins arrays along an existing axis, or stacks them along a new one.
#pragma once

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// Needs at least one part. Nullopt when types or shapes do not match, or the result is too big.
std::optional<Array> concatenated(std::span<const Array> parts, std::size_t axis);
// Stacks the parts along a new axis at `axis`.
std::optional<Array> stacked(std::span<const Array> parts, std::size_t axis);

}  // namespace onnxpress::ops
