// FlexAttention (ai.onnx.preview): attention whose scores and probabilities a body of the model may change.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_flex_attention(Inference& in);
bool evaluate_flex_attention(Call& call);

}  // namespace onnxpress::ops
