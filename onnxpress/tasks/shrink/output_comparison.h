// The result of comparing two models in a runtime. Tasks do not know any runtime: the caller passes a function
// (onnxpress/runtime/compare_outputs.h has the one for ONNX Runtime).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/tasks/files/load_model.h"

namespace onnxpress::tasks {

struct OutputComparison {
  std::string runtime, reason, hint;
  bool same = false;
  std::uint64_t outputs = 0, runs = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("runtime", &OutputComparison::runtime, "the runtime and its version; empty if there is none");
    visit("same", &OutputComparison::same, "true if both models gave the same bits");
    visit("outputs", &OutputComparison::outputs, "outputs that were compared");
    visit("runs", &OutputComparison::runs, "sets of inputs that both models got");
    visit("reason", &OutputComparison::reason, "why they were not compared; empty if they were");
    visit("hint", &OutputComparison::hint, "what to do about that");
  }
};

struct ModelPair {
  std::string original, result;                             // files, in any form
  std::vector<std::pair<std::string, ops::Array>> further;  // inputs that only the result has
  LoadOptions load;
};

// Throws Error if the original runs, but the result does not, or gives other bits.
using CompareOutputs = std::function<OutputComparison(const ModelPair& pair)>;

}  // namespace onnxpress::tasks
