// Layers that multiply vectors with a weight, and the vectors in an input of the layer: rows of a matrix, or the
// windows of a convolution.
#pragma once

#include <cstddef>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/weights/lossy/compensate.h"

namespace onnxpress::tasks {

struct LayerUse {
  const Node* node;
  const ops::Op* op;
  Value* bias = nullptr;  // a constant that is added to the products, one number by output channel, and to nothing else
};

// All users of a weight, if they are layers that take it the same way; else none.
std::vector<LayerUse> layer_uses(const Value& weight, const Tensor& tensor, const analysis::OpResolver& ops);
// Its layout, without vectors.
weights::LayerSample sample_for(const LayerUse& use, const Tensor& tensor);
// Up to `most` of the vectors, evenly spread, with those of all groups side by side. Empty where the input is not what
// the layer takes.
std::vector<float> layer_vectors(const LayerUse& use, const weights::LayerSample& sample, const ops::Array& input,
                                 std::size_t most);

}  // namespace onnxpress::tasks
