// TfIdfVectorizer: counts of known n-grams.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_tf_idf(Inference& in);
bool evaluate_tf_idf(Call& call);

}  // namespace onnxpress::ops
