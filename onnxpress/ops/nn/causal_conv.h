// CausalConvWithState: a convolution per channel that looks back only, and hands on what it has seen last.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_causal_conv(Inference& in);
bool evaluate_causal_conv(Call& call);

}  // namespace onnxpress::ops
