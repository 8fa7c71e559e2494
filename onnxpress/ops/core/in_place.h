// The trait of ops that can work in place although they are not elementwise. It is separate from the traits in op.h
// because only memory plans use it.
#pragma once

#include <cstdint>

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

// Result 0 has the elements of operand 0, scaled row by row with what a pass over the row computed (Softmax,
// normalizations), so a kernel may write it over an operand of the same size.
inline constexpr std::uint32_t kOverwrites = std::uint32_t{1} << 24;

// May result 0 reuse the memory of an operand of the same size?
inline bool may_overwrite(const Op& op) { return op.has_any(kElementwise | kOverwrites); }

}  // namespace onnxpress::ops
