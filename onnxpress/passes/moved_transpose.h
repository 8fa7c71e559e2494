// Decides whether a Transpose may move past the op that reads it.
#pragma once

#include "onnxpress/passes/permutation.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// An op that works along one axis and leaves the others alone: its axis is renamed. (Old versions of Softmax flatten.)
bool works_along_axis(const Node& node, const Rewriter& rw);

// The value without the Transpose by `perm`: what it reads, or a constant in the old order. Null: neither.
// `dry`: only whether there is one.
Value* before_transpose(Value* value, const Permutation& perm, Rewriter& rw, bool dry);

// Can it move after `node`, which reads it as `moved`? Its result then has every axis moved, as before.
bool can_pass(const Node& node, const Value* moved, const Permutation& perm, Rewriter& rw);

}  // namespace onnxpress::passes
