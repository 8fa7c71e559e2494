// How exporters split a value into heads before attention, and merge them after it.
#pragma once

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// What a value [batch, length, heads, size] was split from, [batch, length, heads * size]; null when it was not.
Value* before_split(const Value* value, const Rewriter& rw);
// The same for a value [batch, heads, length, size].
Value* heads_before(const Value* value, const Rewriter& rw);
// A value [batch, heads, length, size] as [batch, length, heads * size]: what it was split from, or made. Null when the
// number of heads or their size is not known.
Value* merge_heads(Value* value, Rewriter& rw);
// The MatMul whose heads a Reshape merges: Reshape(Transpose(MatMul)), read by nothing else. Null when it is another.
Node* before_merge(const Node& reshape, const Rewriter& rw);
// With axes of size 1 in front, so that there are four of them. Null for null.
Value* four_axes(Value* mask, Rewriter& rw);

}  // namespace onnxpress::passes
