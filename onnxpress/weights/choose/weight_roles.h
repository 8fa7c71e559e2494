// Which constants of a model are weights, and which of their axes are output channels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/scopes.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

struct Weight {
  Value* value;
  const Tensor* tensor;
  WeightRole role;       // of the first user that is known to take weights
  bool may_move = true;  // false: something needs it as a plain constant, or nobody knows what it does with it
  std::optional<std::int64_t> opset = {};  // of the standard domain, where it stands: functions have their own
};

// Constants of floats, largest of their kind first as they stand in the model: operands of ops that take weights (Conv,
// MatMul, Gather, LSTM, ...), also behind Transpose and the like, and, with an empty role, all others.
std::vector<Weight> find_weights(const Model& model, const passes::Scopes& scopes);

}  // namespace onnxpress::weights
