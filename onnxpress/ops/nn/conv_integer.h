// Convolutions of 8-bit integers: ConvInteger and QLinearConv.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The rule for all convolutions, given which operands hold the image and the weights.
void infer_conv_of(Inference& in, std::size_t operand, std::size_t weights);

bool evaluate_conv_integer(Call& call);
void infer_qlinear_conv(Inference& in);
bool evaluate_qlinear_conv(Call& call);

}  // namespace onnxpress::ops
