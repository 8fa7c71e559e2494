// Ops that keep all elements and their order, and give them another shape.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_reshape(Inference& in);
bool evaluate_reshape(Call& call);
void infer_squeeze(Inference& in);
bool evaluate_squeeze(Call& call);
void infer_old_unsqueeze(Inference& in);  // before version 11 nobody checks the axes
void infer_unsqueeze(Inference& in);
bool evaluate_unsqueeze(Call& call);
void infer_expand_dims(Inference& in);  // com.microsoft: Unsqueeze of one axis
bool evaluate_expand_dims(Call& call);
void infer_flatten(Inference& in);
bool evaluate_flatten(Call& call);

}  // namespace onnxpress::ops
