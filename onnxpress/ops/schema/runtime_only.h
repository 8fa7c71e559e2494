// Ops that ONNX Runtime has in the standard domain although the standard does not.
#pragma once

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

// For example LayerNormalization before opset 17: a model that uses it runs only in ONNX Runtime.
bool is_runtime_only(const Schema& schema);

}  // namespace onnxpress::ops
