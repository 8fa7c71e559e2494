// Scan: a body that runs once per slice of its operands.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_scan(Inference& in);
bool evaluate_scan(Call& call);
// The first version of Scan has a batch axis in front of everything, and a length per batch.
void infer_batched_scan(Inference& in);
bool evaluate_batched_scan(Call& call);

}  // namespace onnxpress::ops
