// Finds Gelu, HardSigmoid and HardSwish in all forms that exporters write, and guards the constants of activations.
//
// A rewrite that folds a constant into a neighbour asks ends_activation() or begins_activation() first. An activation
// that lost one of its constants is not found any more, neither here nor by a runtime, and its nodes cost more than the
// one that could be saved.
#pragma once

#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

struct GeluMatch {
  Value* x = nullptr;
  bool tanh = false;  // whether it is the tanh approximation
};

// `node` is the last node of the Gelu. Nothing else may read the values in between.
std::optional<GeluMatch> find_gelu(Node& node, const Rewriter& rw);

// The operand x of a HardSigmoid or HardSwish that ends with this node; null if there is none. Nothing else may read
// the values in between.
Value* find_hard_sigmoid(Node& node, const Rewriter& rw);
Value* find_hard_swish(Node& node, const Rewriter& rw);

// Whether a Gelu, HardSwish or HardSigmoid of several nodes ends with this one, for example with the factor 0.5.
bool ends_activation(Node& node, const Rewriter& rw);
// Whether a HardSigmoid of several nodes begins with this one, Add(x, 3).
bool begins_activation(const Node& node, const Rewriter& rw);

}  // namespace onnxpress::passes
