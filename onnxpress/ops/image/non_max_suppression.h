// NonMaxSuppression: the best boxes that do not overlap too much.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_non_max_suppression(Inference& in);
bool evaluate_non_max_suppression(Call& call);

}  // namespace onnxpress::ops
