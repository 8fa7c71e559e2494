// Walks every link of the pointer graph in both directions.
#include "onnxpress/ir/verify.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress {

namespace {

bool lists_use(const Value& value, const Use& use) {
  for (const Use* each = value.first_use(); each; each = each->next()) {
    if (each == &use) return true;
  }
  return false;
}

std::string verify_node(const Graph& graph, const Node& node, const Node* previous, bool thorough) {
  const std::string place = fmt::format("node {} ({})", node.id(), quote_name(node.op_type()));
  if (node.graph() != &graph) return place + ": belongs to another graph";
  if (node.previous() != previous) return place + ": broken order links";
  if (node.erased()) return place + ": erased but listed";
  for (const Use& use : node.inputs()) {
    if (use.user() != &node) return place + ": an operand names another user";
    // Walking a use list is linear in its length, so only small models are checked slot by slot.
    if (thorough && use.value() && !lists_use(*use.value(), use))
      return place + ": an operand is missing from its value's use list";
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const Value* value = node.output(i);
    if (value && value->producer() == &node && value->output_index() != i)
      return place + ": an output has the wrong index";
    if (value && value->producer() != &node) return place + ": an output names another producer";
  }
  std::string problem;
  for (const Attribute* attribute : node.attributes()) {
    for_each_graph_in(*attribute, [&](const Graph& body) {
      if (body.owner() != &node) problem = place + ": a body names another owner";
    });
  }
  return problem;
}

}  // namespace

std::string verify(const Model& model) {
  constexpr std::uint32_t kThoroughNodes = 10'000;
  const bool thorough = model.context().node_count <= kThoroughNodes;
  std::string problem;
  for_each_graph(model, [&](const Graph& graph) {
    const Node* previous = nullptr;
    std::size_t count = 0;
    for (const Node& node : graph.nodes()) {
      if (problem.empty()) problem = verify_node(graph, node, previous, thorough);
      previous = &node;
      ++count;
    }
    if (problem.empty() && (count != graph.nodes().size() || previous != graph.nodes().back()))
      problem = "broken node list";
    for (const Value* value : graph.initializers()) {
      if (problem.empty() && !value->initializer())
        problem = fmt::format("initializer {} has no tensor", quote_name(value->name()));
    }
  });
  return problem;
}

}  // namespace onnxpress
