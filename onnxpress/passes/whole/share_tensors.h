// Stores equal tensors once, wherever they are.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/passes/whole/saving.h"

namespace onnxpress::passes {

// Shares tensors of the same type, dims and bytes: initializers and Constant nodes of the main graph and all its
// bodies, and Constant nodes within a function. The one that stays is in the main graph (or at the top level of the
// function). Left alone: initializers that callers may override, constants that are outputs of a body, tensors that
// cannot be read or have more than `largest` bytes, and models with training graphs, which refer to initializers by
// name. Returns one entry per removed tensor.
std::vector<Saving> share_tensors(Model& model, std::uint64_t largest = std::numeric_limits<std::uint64_t>::max());

}  // namespace onnxpress::passes
