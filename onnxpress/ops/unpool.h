// MaxUnpool: puts each maximum back where MaxPool found it.
#pragma once

#include "onnxpress/ops/call.h"
#include "onnxpress/ops/inference.h"

namespace onnxpress::ops {

void infer_max_unpool(Inference& in);
bool evaluate_max_unpool(Call& call);

}  // namespace onnxpress::ops
