// Convolution of arrays in the order [batch, channels, spatial...], as matrix products or, per channel, directly.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/kernels/conv_window.h"
#include "onnxpress/ops/kernels/gemm.h"

namespace onnxpress::ops {

struct ConvPlan {
  ConvWindow window;
  std::int64_t batch = 0, groups = 1;
  std::int64_t group_in = 0, group_out = 0;  // channels per group

  Sizes result_sizes() const;
};
// Checks x, w and the bias (if not null) against the parameters; nullopt, after call.fail, when they do not match.
std::optional<ConvPlan> plan_conv(Call& call, const Array& x, const Array& w, const Array* bias);

// Operands of one type, float or double; the bias may be null.
Array convolved(const ConvPlan& plan, const Array& x, const Array& w, const Array* bias);
// Convolves 8-bit integers minus their zero points, exactly; w_zeros has one element, or one per output channel.
Array convolved_integers(const ConvPlan& plan, const Array& x, const Array& w, std::int32_t x_zero,
                         std::span<const std::int32_t> w_zeros);

}  // namespace onnxpress::ops
