// Puts chains into a model in place of the constants that they compute.
#pragma once

#include <span>

#include "onnxpress/passes/whole/scopes.h"
#include "onnxpress/weights/chain/chain.h"

namespace onnxpress::weights {

struct PlacedChain {
  Value* value;  // an initializer, or the output of a Constant node
  Chain chain;
  Value* result = nullptr;  // the output of the inserted chain: `value`, or a new value outside of bodies
};

// Inserts chains into the main graph or the function, outside of bodies, in front of the first node that needs them.
// The result keeps the name of the tensor, unless the tensor is in a body and its name is not unique.
void insert_chains(std::span<PlacedChain> chains, Model& model, passes::Scopes& scopes);

}  // namespace onnxpress::weights
