// Einsum: sums of products written as an equation over labels.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_einsum(Inference& in);
bool evaluate_einsum(Call& call);
void cost_einsum(CostQuery& query);

}  // namespace onnxpress::ops
