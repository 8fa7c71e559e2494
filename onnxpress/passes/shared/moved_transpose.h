// Decides whether a Transpose may move past the op that reads it.
#pragma once

#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

// Whether the op works along one axis and leaves the others alone, so that only its axis must change. Old versions of
// Softmax do not: they flatten.
bool works_along_axis(const Node& node, const Rewriter& rw);

// The value before a Transpose by `perm`: the operand of the Transpose, or a constant brought into the old order. Null
// if there is neither. With `dry`, only tells whether there is one and builds nothing.
Value* before_transpose(Value* value, const Permutation& perm, Rewriter& rw, bool dry);

// Whether the Transpose with result `moved` can move past `node`, which reads it.
bool can_pass(const Node& node, const Value* moved, const Permutation& perm, Rewriter& rw);

}  // namespace onnxpress::passes
