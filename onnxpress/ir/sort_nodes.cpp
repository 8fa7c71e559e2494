// Kahn's algorithm on positions, with a heap so that the earliest ready node goes first.
#include "onnxpress/ir/sort_nodes.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/walk.h"

namespace onnxpress {

namespace {

// Calls `visit(Node&)` for each node of `graph` whose value `node` reads, itself or from inside a body.
template <typename Visit>
void for_each_producer(Graph& graph, Node& node, Visit&& visit) {
  const auto look_at = [&](const Value* value) {
    if (value && value->producer() && value->graph() == &graph) visit(*value->producer());
  };
  for (const Use& use : node.inputs()) look_at(use.value());
  for (Attribute* attribute : node.attributes()) {
    for_each_graph_in(*attribute, [&](Graph& body) {
      for_each_graph(body, [&](Graph& inner) {
        for (Node& each : inner.nodes()) {
          for (const Use& use : each.inputs()) look_at(use.value());
        }
        for (const ValueInfo* output : inner.outputs()) look_at(output->value);
      });
    });
  }
}

}  // namespace

NodeOrder sort_nodes(Graph& graph) {
  // Readers give nodes their ids in order of appearance (with those of bodies in between), so ids usually compare like
  // positions.
  bool sorted = true;
  const Node* previous = nullptr;
  for (Node& node : graph.nodes()) {
    if (previous && previous->id() > node.id()) sorted = false;  // ids are not positions in this graph
    previous = &node;
    for_each_producer(graph, node, [&](const Node& producer) { sorted &= producer.id() < node.id(); });
    if (!sorted) break;
  }
  if (sorted) return NodeOrder::kWasSorted;

  std::unordered_map<const Node*, std::size_t> position;
  std::vector<Node*> nodes;
  for (Node& node : graph.nodes()) {
    position.emplace(&node, nodes.size());
    nodes.push_back(&node);
  }
  std::vector<std::vector<std::size_t>> users(nodes.size());
  std::vector<std::size_t> waiting(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for_each_producer(graph, *nodes[i], [&](const Node& producer) {
      users[position.at(&producer)].push_back(i);
      ++waiting[i];
    });
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<Node*> order;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(nodes[next]);
    for (const std::size_t user : users[next]) {
      if (--waiting[user] == 0) ready.push(user);
    }
  }
  if (order.size() != nodes.size()) return NodeOrder::kCycle;
  if (order == nodes) return NodeOrder::kWasSorted;
  graph.reorder(order);
  return NodeOrder::kSortedNow;
}

bool is_in_order_of_file(const Graph& graph) {
  const char* previous = nullptr;
  for (const Node& node : graph.nodes()) {
    const char* place = node.origin().data();
    if (place && place < previous) return false;
    if (place) previous = place;
  }
  return true;
}

}  // namespace onnxpress
