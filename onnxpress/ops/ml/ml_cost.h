// Cost of the models of ai.onnx.ml.
#pragma once

#include "onnxpress/ops/core/cost.h"

namespace onnxpress::ops {

void cost_linear_model(CostQuery& query);  // rows * coefficients
void cost_svm(CostQuery& query);           // rows * support vectors * features
void cost_trees(CostQuery& query);         // rows * trees * depth, as if all trees were balanced

}  // namespace onnxpress::ops
