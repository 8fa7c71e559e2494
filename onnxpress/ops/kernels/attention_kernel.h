// Scaled dot product attention over heads: softmax(q k^T + bias) v.
#pragma once

#include <functional>
#include <span>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// Arrays of floats or doubles, [batch, heads, sequence, size].
struct AttentionHeads {
  Array q, k, v;
  double scale = 1, softcap = 0;  // softcap 0: none
  // What the fourth result of ai.onnx's Attention shows.
  enum class Shown : std::uint8_t { kNothing, kProducts, kCapped, kBiased, kProbabilities };
  Shown shown = Shown::kNothing;
  // Per query head, one more logit that takes part in the softmax's sum only; empty: none.
  std::vector<double> sinks = {};

  std::int64_t batch() const { return q.size(0); }
  std::int64_t heads() const { return q.size(1); }
  std::int64_t queries() const { return q.size(2); }
  std::int64_t keys() const { return k.size(2); }
};

// Adds to the scores of one query: `scores` has one element per key; -infinity hides a key. May be called from several
// threads.
template <typename T>
using AttentionBias = std::function<void(std::int64_t batch, std::int64_t head, std::int64_t query, std::span<T> bias)>;

// Do the sizes fit together, and is the result of a size that can be held? The heads of k and v may be fewer than those
// of q, which then share them in runs.
bool fits(const AttentionHeads& heads);

struct AttentionResult {
  Array y;      // [batch, heads, queries, value size]
  Array shown;  // [batch, heads, queries, keys] when asked for
};
// Queries whose every key is hidden give 0. The bias may be null.
template <typename T>
AttentionResult attend(const AttentionHeads& heads, const AttentionBias<T>& bias);

// [batch, sequence, heads * size] to [batch, heads, sequence, size], and back.
Array split_heads(const Array& array, std::int64_t heads);
Array merged_heads(const Array& array);
// `past` and `now` one after the other along the sequence; `now` alone when there is no past. nullopt when they do not
// fit.
std::optional<Array> appended(const Array& past, const Array& now);

}  // namespace onnxpress::ops
