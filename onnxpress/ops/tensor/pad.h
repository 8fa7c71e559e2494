// Pad and CenterCropPad: elements added or removed at both ends of axes.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_pad(Inference& in);
bool evaluate_pad(Call& call);
void infer_center_crop_pad(Inference& in);
bool evaluate_center_crop_pad(Call& call);

}  // namespace onnxpress::ops
