// Images in the order [batch, spatial..., channels], as some of ONNX Runtime's ops use them.
#pragma once

#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/params.h"

namespace onnxpress::ops {

// Are the channels the last axis? By the op's name, or by its parameter.
bool channels_are_last(const Params& params);

// [N, C, spatial...] from [N, spatial..., C], and back. Rank 3 or more; the elements are not strings.
Array channels_first(const Array& array);
Array channels_last(const Array& array);

}  // namespace onnxpress::ops
