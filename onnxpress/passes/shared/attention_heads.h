// How exporters split a value into heads before attention, and merge them after it.
#pragma once

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// The value [batch, length, heads * size] that a value [batch, length, heads, size] was split from; null if there is
// none.
Value* before_split(const Value* value, const Rewriter& rw);
// The same for a value [batch, heads, length, size].
Value* heads_before(const Value* value, const Rewriter& rw);
// A value [batch, heads, length, size] as [batch, length, heads * size]: the value that it was split from, or a new
// one. Null when the number of heads or their size is not known.
Value* merge_heads(Value* value, Rewriter& rw);
// The MatMul whose heads a Reshape merges: Reshape(Transpose(MatMul)), where nothing else reads the values in between.
// Null if the Reshape does something else.
Node* before_merge(const Node& reshape, const Rewriter& rw);
// Adds axes of size 1 in front, so that there are four. Returns null for null.
Value* four_axes(Value* mask, Rewriter& rw);

}  // namespace onnxpress::passes
