// LinearAttention: attention as a state that each token updates, without a softmax.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_linear_attention(Inference& in);
bool evaluate_linear_attention(Call& call);

}  // namespace onnxpress::ops
