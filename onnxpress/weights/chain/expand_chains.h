// Undoes chains: tensors that nodes compute from constants become plain initializers again.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::weights {

struct Expanded {
  std::uint64_t tensors = 0, bytes = 0, nodes = 0;  // plain tensors made, their content, nodes removed
};

// Recognised by what they are, not by names: nodes of the main graph, of the ops that chains are made of, that read
// nothing but constants. The last one of a chain keeps its name. Results over 1 GiB are left as they are.
Expanded expand_chains(Model& model);

}  // namespace onnxpress::weights
