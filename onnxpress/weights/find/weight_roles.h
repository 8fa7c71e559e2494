// Which constants of a model are weights, and which of their axes are output channels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/whole/scopes.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

struct Weight {
  Value* value;
  const Tensor* tensor;
  WeightRole role;                         // of the first user that is known to take weights
  bool may_move = true;                    // false: a user needs it as a plain constant, or is an unknown op
  std::optional<std::int64_t> opset = {};  // of the standard domain; functions have their own
};

// Float constants, in the order of the model: operands of ops that take weights (Conv, MatMul, Gather, LSTM, ...),
// directly or through Transpose and the like, and all others, with an empty role.
std::vector<Weight> find_weights(const Model& model, const passes::Scopes& scopes);

}  // namespace onnxpress::weights
