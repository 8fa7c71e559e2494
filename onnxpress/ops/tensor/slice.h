// Slice: a part of a tensor, with steps that may go backwards.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_slice(Inference& in);
bool evaluate_slice(Call& call);

}  // namespace onnxpress::ops
