// Pooling over regions of interest: RoiAlign and MaxRoiPool.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_roi_align(Inference& in);
bool evaluate_roi_align(Call& call);
void infer_max_roi_pool(Inference& in);
bool evaluate_max_roi_pool(Call& call);

}  // namespace onnxpress::ops
