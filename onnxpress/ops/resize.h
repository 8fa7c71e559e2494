// Resize and Upsample.
#pragma once

#include "onnxpress/ops/call.h"
#include "onnxpress/ops/inference.h"

namespace onnxpress::ops {

void infer_resize(Inference& in);
bool evaluate_resize(Call& call);

}  // namespace onnxpress::ops
