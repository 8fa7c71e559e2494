// One walk over the nodes.
#include "onnxpress/analysis/liveness.h"

#include "onnxpress/analysis/captured_values.h"

namespace onnxpress::analysis {

Liveness::Liveness(const Graph& graph) : ending_(graph.nodes().size()) {
  std::vector<const Value*> met;
  std::size_t position = 0;
  for (const Node& node : graph.nodes()) {
    for_each_value_read(node, [&](const Value& value) {
      if (value.graph() != &graph) return;
      const auto [at, is_new] = lifetimes_.try_emplace(&value);
      if (is_new) met.push_back(&value);
      if (!at->second.is_read) at->second.first_use = position;
      at->second.is_read = true;
      at->second.last_use = position;
    });
    for (const Value* output : node.outputs()) {
      if (!output) continue;
      if (lifetimes_.try_emplace(output, Lifetime{position, position, position, false}).second) met.push_back(output);
    }
    ++position;
  }
  for (const ValueInfo* output : graph.outputs()) {
    if (output->value->graph() != &graph) continue;
    const auto [at, is_new] = lifetimes_.try_emplace(output->value);
    at->second.last_use = position;
    if (is_new) at->second.first_use = position;
  }
  for (const Value* value : met) {
    const std::size_t last = lifetimes_.at(value).last_use;
    if (last < position) ending_[last].push_back(value);
  }
}

std::optional<Lifetime> Liveness::of(const Value& value) const {
  const auto found = lifetimes_.find(&value);
  return found == lifetimes_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace onnxpress::analysis
