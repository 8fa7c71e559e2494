// Pooling over regions of interest: RoiAlign and MaxRoiPool.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_roi_align(Inference& in);
void infer_roi_align_22(Inference& in);  // also checks how many numbers a region has
bool evaluate_roi_align(Call& call);
void infer_max_roi_pool(Inference& in);
void infer_max_roi_pool_22(Inference& in);
bool evaluate_max_roi_pool(Call& call);

}  // namespace onnxpress::ops
