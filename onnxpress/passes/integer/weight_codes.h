// WeightCodes: a rounded weight as integer codes, as passes receive it from the quantizers.
#pragma once

#include <memory>
#include <vector>

#include "onnxpress/ir/tensor.h"

namespace onnxpress::passes {

// 8 bits, symmetric, a scale for each index of the channel axis.
struct WeightCodes {
  std::shared_ptr<const ByteStream> codes;  // one byte for each element, in the order of the tensor
  std::vector<float> scales;
};

}  // namespace onnxpress::passes
