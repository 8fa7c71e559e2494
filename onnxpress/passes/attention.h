// Attention as exporters write it: MatMul(Softmax(MatMul(q, Transpose(k)) * scale + mask), v).
#pragma once

#include <cstdint>
#include <optional>

#include "onnxpress/passes/permutation.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// All of four axes, [batch, heads, length, size].
struct AttentionMatch {
  Value *q = nullptr, *k = nullptr, *v = nullptr;
  Permutation from_k;     // the order of k behind the Transpose: [batch, heads, size, length]
  Value* mask = nullptr;  // added to the scores: their shape, or fewer axes, or 1 for batch and heads; null: none
  double scale = 1;
  ops::Shape scores;  // [batch, heads, length of q, length of k]
};

// With `node` as the MatMul that makes the result. Nothing else reads the values in between.
std::optional<AttentionMatch> find_attention(Node& node, Rewriter& rw);

// k in the order of the other operands; made where it stands in another one.
Value* keys_of(const AttentionMatch& match, Rewriter& rw);

// The value of fewer heads of which each was repeated, so that there are as many as q has; null when it is none.
//   Reshape(Expand(Unsqueeze(u, 2), [batch, heads, n, length, size]), [batch, heads * n, length, size])
Value* unrepeated(const Value* value, const Rewriter& rw);

}  // namespace onnxpress::passes
