// Inserts a Mul by a factor around 1 after each requested node.
#include "onnxpress/compare/scaled_results.h"

#include <unordered_map>

namespace onnxpress::compare {

void scale_results(Model& copy, const Model& original, const analysis::Facts& facts, const Scaling& scaling) {
  std::unordered_map<std::uint32_t, const ops::Fact*> scaled;  // results by id of their node, which a clone keeps
  for (const Node& node : original.graph().nodes()) {
    if (node.output(0) && scaling.is_scaled(node)) scaled.emplace(node.id(), &facts.of(*node.output(0)));
  }
  Graph& graph = copy.graph();
  for (Node& node : graph.nodes()) {
    const auto found = scaled.find(node.id());
    if (found == scaled.end() || node.output(0)->is_output()) continue;
    Value* factor = scaling.factor_for(*found->second);
    if (!factor) continue;
    Value* moved = graph.create_value({});
    graph.replace_operands(node.output(0), moved);
    Value* operands[] = {node.output(0), factor};
    graph.insert_before(node.next(), {.op_type = "Mul", .inputs = operands, .outputs = std::span(&moved, 1)});
  }
}

std::int64_t factor_count(const ops::Fact& result) {
  return result.shape && !result.shape->empty() ? result.shape->back().size().value_or(1) : 1;
}

}  // namespace onnxpress::compare
