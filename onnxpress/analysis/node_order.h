// The order of nodes: which node needs which, also through bodies, and whether there are cycles.
#pragma once

#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

// The node of `graph` that contains `node`: itself, or the one whose body (at any depth) holds it. Null when there is
// none.
const Node* node_in(const Graph& graph, const Node& node);

// Calls `visit(const Node& from, const Node& to, const Use& use)` for each operand that makes `to` need `from`; both
// belong to one graph. An operand inside a body counts for the node around that body.
template <typename Visit>
void for_each_dependency(const Node& node, Visit&& visit) {
  for (const Use& use : node.inputs()) {
    const Node* from = use.value() ? use.value()->producer() : nullptr;
    if (!from) continue;
    const Node* to = from->graph() == node.graph() ? &node : node_in(*from->graph(), node);
    if (to) visit(*from, *to, use);
  }
}

// One cycle per group of nodes that need each other, in the order of the data flow: each feeds the next, and the last
// feeds the first. Linear in the nodes and operands of the model.
std::vector<std::vector<const Node*>> find_cycles(const Model& model);

}  // namespace onnxpress::analysis
