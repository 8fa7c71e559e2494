// Resize and Upsample.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_resize(Inference& in);
bool evaluate_resize(Call& call);

}  // namespace onnxpress::ops
