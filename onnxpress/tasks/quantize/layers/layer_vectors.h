// Layers that multiply vectors with a weight, and the vectors in an input of the layer: rows of a matrix, or the
// windows of a convolution.
#pragma once

#include <cstddef>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/weights/lossy/compensate.h"

namespace onnxpress {

struct LayerUse {
  const Node* node;
  const ops::Op* op;
  // A constant with one number per output channel that is added to the products, and used for nothing else.
  Value* bias = nullptr;
};

// All uses of a weight, if they are all in layers that read it with the same layout; otherwise none.
std::vector<LayerUse> layer_uses(const Value& weight, const Tensor& tensor, const analysis::OpResolver& ops);
// The layout of the weight in that layer, without vectors.
weights::LayerSample sample_for(const LayerUse& use, const Tensor& tensor);
// Up to `most` of the vectors, evenly spread, with those of all groups side by side. Empty if the input does not fit
// the layer.
std::vector<float> layer_vectors(const LayerUse& use, const weights::LayerSample& sample, const ops::Array& input,
                                 std::size_t most);

}  // namespace onnxpress
