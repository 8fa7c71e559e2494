// Rotary embeddings as exporters write them: x * cos + rotated(x) * sin.
#pragma once

#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Of [batch, heads, length, size].
struct RotaryMatch {
  Value* x = nullptr;
  bool interleaved = false;  // neighbours turn together, not the two halves
  // One row of half the size for each place: [batch or 1, 1, length, size / 2]; axes in front may be missing.
  Value *cosine = nullptr, *sine = nullptr;
  bool is_for_each_batch = false;  // the tables have the batch axis of x, not 1
};

// With `add` as its last node. Both halves of the tables must be the same; the halves are made.
std::optional<RotaryMatch> find_rotation(Node& add, Rewriter& rw);

}  // namespace onnxpress::passes
