// Walks a model and its bodies.
#include "onnxpress/tasks/shapes/bodies.h"

#include <algorithm>
#include <unordered_map>

#include "onnxpress/analysis/liveness.h"

namespace onnxpress {

namespace {

std::string prefix_of(const std::string& outer, const Node& node, const Attribute& attribute) {
  std::string name;
  for (const Value* output : node.outputs()) {
    if (name.empty() && output) name = output->name();
  }
  return outer + name + "." + std::string(attribute.name) + "/";
}

// Calls visit(body, prefix) for each body of a node.
template <typename Visit>
void for_each_body(const Node& node, const std::string& prefix, Visit&& visit) {
  for (Attribute* attribute : node.attributes())
    for_each_graph_in(*attribute, [&](Graph& body) { visit(body, prefix_of(prefix, node, *attribute)); });
}

void add_graph(Graph& graph, std::string prefix, std::vector<EngineGraph>& found) {
  found.push_back({&graph, prefix});
  for (const Node& node : graph.nodes())
    for_each_body(node, prefix, [&](Graph& body, std::string inner) { add_graph(body, std::move(inner), found); });
}

class Lifetimes {
 public:
  explicit Lifetimes(std::vector<EngineValue>& values) {
    for (EngineValue& each : values) values_.emplace(each.name, &each);
  }

  // The inputs of a body also receive the values for the next iteration of a loop, so they live as long as it runs.
  void add(const Graph& graph, const std::string& prefix, bool is_body) {
    const std::int64_t begin = next_;
    std::vector<std::int64_t> positions;
    for (const Node& node : graph.nodes()) {
      for_each_body(node, prefix, [this](const Graph& body, const std::string& inner) { add(body, inner, true); });
      positions.push_back(next_++);
    }
    const std::int64_t end = next_;  // position of the node that has the body; for the main graph, the number of nodes
    const analysis::Liveness liveness(graph);
    const auto place = [&](const Value& value, bool whole) {
      const auto found = values_.find(prefix + std::string(value.name()));
      const auto lifetime = liveness.of(value);
      if (found == values_.end() || !lifetime) return;
      EngineValue& each = *found->second;
      each.first = lifetime->made == analysis::Lifetime::kBefore ? begin : positions[lifetime->made];
      each.last = whole || lifetime->last_use >= positions.size() ? end : positions[lifetime->last_use];
    };
    for (const ValueInfo* input : graph.inputs()) place(*input->value, is_body);
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (output) place(*output, false);
      }
    }
  }

 private:
  std::unordered_map<std::string_view, EngineValue*> values_;
  std::int64_t next_ = 0;
};

}  // namespace

std::vector<EngineGraph> engine_graphs(const Model& model) {
  std::vector<EngineGraph> found;
  add_graph(model.graph(), {}, found);
  return found;
}

void find_lifetimes(const Model& compute_graph, std::vector<EngineValue>& values) {
  Lifetimes(values).add(compute_graph.graph(), {}, false);
}

}  // namespace onnxpress
