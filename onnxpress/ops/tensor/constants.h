// Ops that make a tensor from parameters: Constant, ConstantOfShape, Range, EyeLike.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_constant(Inference& in);
bool evaluate_constant(Call& call);
void infer_constant_of_shape(Inference& in);
bool evaluate_constant_of_shape(Call& call);
void infer_range(Inference& in);
bool evaluate_range(Call& call);
void infer_eye_like(Inference& in);
bool evaluate_eye_like(Call& call);

}  // namespace onnxpress::ops
