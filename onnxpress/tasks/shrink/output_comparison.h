// The result of comparing two models in a runtime (tasks/verify/compare_outputs.h).
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace onnxpress::tasks
