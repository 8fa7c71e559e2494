// Undoes chains: tensors that nodes compute from constants become plain initializers again.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::weights {

struct Expanded {
  std::uint64_t tensors = 0, bytes = 0, nodes = 0;  // plain tensors made, their content, nodes removed
};

// Chains are recognized by their structure, not by names: nodes of the main graph with ops that chains are made of,
// which read only constants. The tensor keeps the name of the chain's result. Results over 1 GiB are left as they are.
Expanded expand_chains(Model& model);

}  // namespace onnxpress::weights
