// Ensembles of decision trees of ai.onnx.ml.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_tree_ensemble(Inference& in);
void infer_tree_ensemble_regressor(Inference& in);  // TreeEnsemble and TreeEnsembleRegressor
bool evaluate_tree_ensemble(Call& call);
bool evaluate_tree_ensemble_regressor(Call& call);
void infer_tree_ensemble_classifier(Inference& in);
bool evaluate_tree_ensemble_classifier(Call& call);

}  // namespace onnxpress::ops
