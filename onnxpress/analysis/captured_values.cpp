// Collects the values that bodies read from outside.
#include "onnxpress/analysis/captured_values.h"

#include <unordered_set>

namespace onnxpress::analysis {

std::vector<Value*> captured_values(const Graph& body) {
  std::unordered_set<const Graph*> inside;
  std::unordered_set<const Value*> seen;
  std::vector<Value*> captured;
  // A graph is visited before the bodies inside it, so a value's graph is already in `inside` when the value is read.
  const auto take = [&](Value* value) {
    if (value && !inside.contains(value->graph()) && seen.insert(value).second) captured.push_back(value);
  };
  const auto look_at = [&](const auto& self, const Graph& graph) -> void {
    inside.insert(&graph);
    for (const Node& node : graph.nodes()) {
      for (const Use& use : node.inputs()) take(use.value());
      for (const Attribute* attribute : node.attributes())
        for_each_graph_in(*attribute, [&](Graph& inner) { self(self, inner); });
    }
    for (const ValueInfo* output : graph.outputs()) take(output->value);
  };
  look_at(look_at, body);
  return captured;
}

}  // namespace onnxpress::analysis
