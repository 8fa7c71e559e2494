// Joins arrays along an existing axis, or stacks them along a new one.
#pragma once

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// At least one part. nullopt when types or shapes do not fit together, or the result is too big.
std::optional<Array> concatenated(std::span<const Array> parts, std::size_t axis);
// With a new axis of the parts' number at `axis`.
std::optional<Array> stacked(std::span<const Array> parts, std::size_t axis);

}  // namespace onnxpress::ops
