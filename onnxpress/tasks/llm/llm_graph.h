// Writes a language model as a graph of standard operators, without storing weights.
#pragma once

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/generate/generate.h"
#include "onnxpress/tasks/llm/llm_ops.h"

namespace onnxpress {

struct LlmGraphOptions {
  ElementType type = ElementType::kFloat16;
  // From 23 on, normalization, rotary positions and attention are one node each; before that they are spelled out.
  std::uint64_t opset = 23;
  Fill fill = Fill::kSplat;
  std::uint64_t seed = 0;
};

// With a cache (`call.decode`), earlier keys and values are inputs; without one, the prompt is computed as a whole.
// Batch and lengths are symbols, whatever `call` says.
Model llm_graph(const LlmConfig& config, const LlmCall& call, const LlmGraphOptions& options);

}  // namespace onnxpress
