// Attention as exporters write it: MatMul(Softmax(MatMul(q, Transpose(k)) * scale + mask), v).
#pragma once

#include <cstdint>
#include <optional>

#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

// q, k and v have four axes: [batch, heads, length, size].
struct AttentionMatch {
  Value *q = nullptr, *k = nullptr, *v = nullptr;
  Permutation from_k;     // the perm of the Transpose that brings k into the order [batch, heads, size, length]
  Value* mask = nullptr;  // added to the scores; has their shape, or fewer axes, or 1 for batch and heads; may be null
  double scale = 1;
  ops::Shape scores;  // [batch, heads, length of q, length of k]
};

// `node` is the MatMul that computes the result. Nothing else may read the values in between.
std::optional<AttentionMatch> find_attention(Node& node, Rewriter& rw);

// k with its axes in the order of the other operands; adds a Transpose if they are in another order.
Value* keys_of(const AttentionMatch& match, Rewriter& rw);

// If `value` repeats each head of a value with fewer heads, to have as many as q: that value. Null otherwise.
//   Reshape(Expand(Unsqueeze(u, 2), [batch, heads, n, length, size]), [batch, heads * n, length, size])
Value* unrepeated(const Value* value, const Rewriter& rw);

}  // namespace onnxpress::passes
