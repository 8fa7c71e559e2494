// The fact of a tensor in the file, the same for an initializer and a Constant node.
#pragma once

#include <span>

#include "onnxpress/ir/tensor.h"
#include "onnxpress/ops/core/fact.h"

namespace onnxpress::ops {

Shape shape_of_sizes(std::span<const std::int64_t> sizes);

// Includes the elements if there are few of them; always has type and shape, even if the data is damaged or missing.
Fact fact_of_tensor(const Tensor& tensor);

}  // namespace onnxpress::ops
