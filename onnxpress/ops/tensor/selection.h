// Ops that pick elements by their value: TopK, Unique, NonZero.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_top_k(Inference& in);
bool evaluate_top_k(Call& call);
void infer_unique(Inference& in);
bool evaluate_unique(Call& call);
void infer_microsoft_unique(Inference& in);  // com.microsoft: one-dimensional, in order of appearance
bool evaluate_microsoft_unique(Call& call);
void infer_non_zero(Inference& in);
bool evaluate_non_zero(Call& call);

}  // namespace onnxpress::ops
