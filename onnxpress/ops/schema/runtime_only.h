// Ops that ONNX Runtime has in the standard domain although the standard does not.
#pragma once

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

// LayerNormalization before opset 17, for one: a model that uses it runs in ONNX Runtime and nowhere else.
bool is_runtime_only(const Schema& schema);

}  // namespace onnxpress::ops
