// TfIdfVectorizer: counts of known n-grams.
#pragma once

#include "onnxpress/ops/call.h"
#include "onnxpress/ops/inference.h"

namespace onnxpress::ops {

void infer_tf_idf(Inference& in);
bool evaluate_tf_idf(Call& call);

}  // namespace onnxpress::ops
