// BitCast: the same bits as another type.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_bit_cast(Inference& in);
bool evaluate_bit_cast(Call& call);

}  // namespace onnxpress::ops
