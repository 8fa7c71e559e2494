// Removes everything that no output depends on.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct Removed {
  std::uint64_t nodes = 0, initializers = 0, functions = 0, opsets = 0;
};

// Removes nodes whose results nothing reads (only of known ops: others may have side effects), initializers without
// users, functions that are never called, and imports of unused domains. The interface stays: unused inputs are still
// inputs, and keep their initializers. A model with training graphs is left as it is.
Removed remove_dead(Model& model);

// Whether the function reads only its inputs and what it computes itself. In a damaged file, a function may refer to
// values of the main graph or to undefined ones; those list it among their users, so it must stay as it is.
bool is_self_contained(const Function& function);

}  // namespace onnxpress::passes
