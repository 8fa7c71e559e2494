// Stores equal sparse initializers once.
#pragma once

#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/passes/whole/saving.h"

namespace onnxpress::passes {

// Whether both have the same dims, and their values and indices the same type, dims and bytes. Throws Error when one
// cannot be read.
bool same_sparse(const SparseTensor& a, const SparseTensor& b);

// Shares within each graph, and between bodies and the main graph. Left alone: initializers that callers may override
// or that cannot be read, and models with training graphs. Returns one entry per removed initializer.
std::vector<Saving> share_sparse(Model& model);

}  // namespace onnxpress::passes
