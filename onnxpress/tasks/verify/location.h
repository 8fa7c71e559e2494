// Where two models begin to differ: the first node whose operands are the same in both, but whose result is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

// A value that both models have, on the path from where they begin to differ to an output.
struct LocationStep {
  std::string node, op, value, other_value;
  std::optional<double> snr;
  double max_abs = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("node", &LocationStep::node, "name of the node in the first model");
    visit("op", &LocationStep::op, "its operator");
    visit("value", &LocationStep::value, "name of its result");
    visit("other_value", &LocationStep::other_value,
          "name of the result in the second model that it was compared with");
    visit("snr", &LocationStep::snr, "signal-to-noise ratio in dB; null: no difference, or not numbers");
    visit("max_abs", &LocationStep::max_abs, "largest difference of an element");
  }
};

struct Location {
  std::string node, op, value, other_node, other_op, why;
  std::uint64_t values = 0, matched = 0, same_before = 0, inlined = 0;
  std::vector<LocationStep> path;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("node", &Location::node,
          "name in the first model of the node that causes the difference; empty if it was not found");
    visit("op", &Location::op, "its operator");
    visit("value", &Location::value, "its first result that differs");
    visit("other_node", &Location::other_node, "the node of the second model in its place");
    visit("other_op", &Location::other_op, "its operator");
    visit("why", &Location::why, "what differs in the node, or why none was found");
    visit("values", &Location::values, "results of nodes in the first model, including branches that were taken");
    visit("matched", &Location::matched, "how many of them were found in the second model");
    visit("same_before", &Location::same_before, "matched values before it that have the same bits");
    visit("inlined", &Location::inlined, "If nodes that were replaced by the branch that was taken");
    visit("path", &Location::path, "how the difference travels from there to an output of the model");
  }
};

}  // namespace onnxpress::tasks
