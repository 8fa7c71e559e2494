// Determinants and inverses of stacks of square matrices.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_det(Inference& in);
bool evaluate_det(Call& call);
bool evaluate_inverse(Call& call);

}  // namespace onnxpress::ops
