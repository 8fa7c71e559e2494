// Linear models and support vector machines of ai.onnx.ml.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_linear_regressor(Inference& in);
bool evaluate_linear_regressor(Call& call);
void infer_linear_classifier(Inference& in);
bool evaluate_linear_classifier(Call& call);
void infer_svm_regressor(Inference& in);
bool evaluate_svm_regressor(Call& call);
void infer_svm_classifier(Inference& in);
bool evaluate_svm_classifier(Call& call);

}  // namespace onnxpress::ops
