// Rotary embeddings: pairs of numbers of each head are turned by an angle that grows with the position.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

bool evaluate_rotary_embedding(Call& call);            // ai.onnx
bool evaluate_microsoft_rotary_embedding(Call& call);  // com.microsoft

struct Rotation {
  Array cosines, sines;  // floats, [positions, half of the rotated size]
  bool interleaved = false;

  std::size_t half() const { return static_cast<std::size_t>(cosines.size(1)); }
  bool fits(std::int64_t head_size) const;
  // Rotates the first numbers of one head.
  void turn(std::size_t position, std::span<float> head) const;
};

}  // namespace onnxpress::ops
