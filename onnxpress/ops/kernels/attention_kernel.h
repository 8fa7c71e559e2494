// Scaled dot product attention over heads: softmax(q k^T + bias) v.
#pragma once

#include <functional>
#include <span>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// Arrays of floats or doubles, [batch, heads, sequence, size].
struct AttentionHeads {
  Array q, k, v;
  double scale = 1, softcap = 0;  // softcap 0 means none
  // What the fourth result of ai.onnx's Attention contains.
  enum class Shown : std::uint8_t { kNothing, kProducts, kCapped, kBiased, kProbabilities };
  Shown shown = Shown::kNothing;
  // One more logit per query head, which only takes part in the sum of the softmax; empty if there are none.
  std::vector<double> sinks = {};

  std::int64_t batch() const { return q.size(0); }
  std::int64_t heads() const { return q.size(1); }
  std::int64_t queries() const { return q.size(2); }
  std::int64_t keys() const { return k.size(2); }
};

// Sets the bias for the scores of one query: one element per key, where -infinity hides a key. May be called from
// several threads.
template <typename T>
using AttentionBias = std::function<void(std::int64_t batch, std::int64_t head, std::int64_t query, std::span<T> bias)>;

// Do the sizes match, and is the result small enough? k and v may have fewer heads than q; then groups of consecutive
// heads of q share them.
bool fits(const AttentionHeads& heads);

struct AttentionResult {
  Array y;      // [batch, heads, queries, value size]
  Array shown;  // [batch, heads, queries, keys] if requested
};
// A query whose keys are all hidden gives 0. The bias may be null.
template <typename T>
AttentionResult attend(const AttentionHeads& heads, const AttentionBias<T>& bias);

// [batch, sequence, heads * size] to [batch, heads, sequence, size], and back.
Array split_heads(const Array& array, std::int64_t heads);
Array merged_heads(const Array& array);
// `past` followed by `now` along the sequence; just `now` when there is no past. Nullopt when their shapes do not
// match.
std::optional<Array> appended(const Array& past, const Array& now);

}  // namespace onnxpress::ops
