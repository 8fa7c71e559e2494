// Puts chains into a model in place of the constants that they compute.
#pragma once

#include <span>

#include "onnxpress/passes/scopes.h"
#include "onnxpress/weights/chain/chain.h"

namespace onnxpress::weights {

struct PlacedChain {
  Value* value;  // an initializer, or what a Constant node puts out
  Chain chain;
  Value* result = nullptr;  // what the inserted chain puts out: `value`, or another one outside of bodies
};

// Chains stand in the main graph or the function, outside of bodies, in front of the first node that needs them, and
// put out the tensor under its old name.
void insert_chains(std::span<PlacedChain> chains, Model& model, passes::Scopes& scopes);

}  // namespace onnxpress::weights
