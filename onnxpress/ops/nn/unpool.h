// MaxUnpool: puts each maximum back where MaxPool found it.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_max_unpool(Inference& in);
bool evaluate_max_unpool(Call& call);

}  // namespace onnxpress::ops
