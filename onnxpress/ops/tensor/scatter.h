// Ops that write elements by index: ScatterElements (and the old Scatter), ScatterND, TensorScatter.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_scatter_elements(Inference& in);
bool evaluate_scatter_elements(Call& call);
void infer_scatter_nd(Inference& in);
bool evaluate_scatter_nd(Call& call);
void infer_tensor_scatter(Inference& in);
bool evaluate_tensor_scatter(Call& call);

}  // namespace onnxpress::ops
