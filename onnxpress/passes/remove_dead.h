// Removes everything that no output depends on.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct Removed {
  std::uint64_t nodes = 0, initializers = 0, functions = 0, opsets = 0;
};

// Nodes whose results nothing reads (only of known ops: others may have side effects), initializers without
// users, functions that are never called, imports of unused domains. The interface stays: inputs that nothing
// reads are still inputs, with their initializers. A model with training graphs is left as it is.
Removed remove_dead(Model& model);

// Reads only what it gets or computes. In a damaged file a function may name values of the main graph, or of nowhere;
// these list it among their users, so that it must stay as it is.
bool is_self_contained(const Function& function);

}  // namespace onnxpress::passes
