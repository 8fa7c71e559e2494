// What the inference of the onnx package finds out about results whose sizes depend on computed parameters.
#pragma once

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

enum class FoundShape { kNothing, kRank, kAll };

// Of a node whose axes, shape or counts other nodes compute. kAll: as much as follows from the rest.
FoundShape shape_found_by_onnx(const Schema& schema);

}  // namespace onnxpress::ops
