// GridSample and AffineGrid: images sampled at given places.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_grid_sample(Inference& in);
bool evaluate_grid_sample(Call& call);
void infer_affine_grid(Inference& in);
bool evaluate_affine_grid(Call& call);

}  // namespace onnxpress::ops
