// Rotary embeddings as exporters write them: x * cos + rotated(x) * sin.
#pragma once

#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// x has four axes: [batch, heads, length, size].
struct RotaryMatch {
  Value* x = nullptr;
  bool interleaved = false;  // rotates neighbours instead of the two halves
  // Tables with one row for each position: [batch or 1, 1, length, size / 2]; leading axes may be missing.
  Value *cosine = nullptr, *sine = nullptr;
  bool is_for_each_batch = false;  // the tables have the batch axis of x, not 1
};

// `add` is the last node of the rotation. Both halves of the tables must be equal; returns one half of each.
std::optional<RotaryMatch> find_rotation(Node& add, Rewriter& rw);

}  // namespace onnxpress::passes
