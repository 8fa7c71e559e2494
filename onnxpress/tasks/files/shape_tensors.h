// ShapeTensors: constants that a runtime reads while it loads a model, before it opens external files.
#pragma once

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress {

class ShapeTensors {
 public:
  explicit ShapeTensors(const Model& model) : ops_(model) {}

  // Does shape inference read its elements? ONNX Runtime refuses models that keep such a tensor in an external file.
  bool contains(const Tensor& tensor, const TensorPlace& place) const;

 private:
  analysis::OpResolver ops_;
};

}  // namespace onnxpress
