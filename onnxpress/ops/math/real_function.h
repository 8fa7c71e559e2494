// Shared by the rows of functions of one real number.
#pragma once

#include <cstdint>

#include "onnxpress/ops/core/op.h"
#include "onnxpress/ops/kernels/elementwise.h"

namespace onnxpress::ops {

constexpr std::uint32_t kIncreasing = kElementwise | kMonotone;

// `Work` is a function object without state.
template <typename Work>
bool evaluate_function(Call& call) {
  return evaluate_real(call, call.array(0), Work());
}

}  // namespace onnxpress::ops
