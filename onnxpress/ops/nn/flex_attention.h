// FlexAttention (ai.onnx.preview): attention whose scores and probabilities can be changed by bodies of the node.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_flex_attention(Inference& in);
bool evaluate_flex_attention(Call& call);

}  // namespace onnxpress::ops
