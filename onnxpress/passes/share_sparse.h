// Stores equal sparse initializers once.
#pragma once

#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/passes/saving.h"

namespace onnxpress::passes {

// Same dims, and values and indices of the same type, dims and bytes. Throws Error when one cannot be read.
bool same_sparse(const SparseTensor& a, const SparseTensor& b);

// Those of one graph, and those of its bodies that are equal to one of the main graph. Left alone: those that callers
// may override or that cannot be read, and models with training graphs. One entry per initializer that is gone.
std::vector<Saving> share_sparse(Model& model);

}  // namespace onnxpress::passes
