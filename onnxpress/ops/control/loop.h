// Loop: a body that runs a number of times, or while a condition holds.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_loop(Inference& in);
bool evaluate_loop(Call& call);

}  // namespace onnxpress::ops
