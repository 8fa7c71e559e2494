// CausalConvWithState: a convolution per channel that only looks back, and passes on its last inputs as a state.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_causal_conv(Inference& in);
bool evaluate_causal_conv(Call& call);

}  // namespace onnxpress::ops
