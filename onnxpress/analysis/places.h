// Describes a place in a model in plain words: "graph 'main', node 'conv1' (Conv) #12".
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

// "'conv1' (Conv)", or "(Conv)" for a node without a name.
std::string node_label(const Node& node);
// "my.domain:f" or "f" in the standard domain, with ":overload" when there is one.
std::string function_id(std::string_view domain, std::string_view name, std::string_view overload);

// "1 node", "2 nodes"; `many` is for irregular plurals.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});

// Texts are built on request, and the tables behind them on first use. Keeps a pointer to the model.
class Places {
 public:
  explicit Places(const Model& model) : model_(&model) {}

  // "graph 'main'", "function 'my:f'", "graph 'main', node 'if1' (If) #3, then_branch"
  std::string of(const Graph& graph) const;
  // The number is the node's position among the nodes of its graph, as the file lists them.
  std::string of(const Node& node) const;
  std::string of(const Node& node, const Attribute& attribute) const;
  // "node 'conv1' (Conv) #12", without the graph around it
  std::string short_of(const Node& node) const;
  std::string initializer(const Graph& graph, std::string_view name) const;

 private:
  std::string root(const Graph& graph) const;
  std::uint32_t position(const Node& node) const;
  void find_positions() const;

  const Model* model_;
  mutable std::vector<std::uint32_t> positions_;  // by node id
  mutable std::unordered_map<const Graph*, const Function*>
      functions_;  // by body; a map because a file can have a hundred thousand functions
};

}  // namespace onnxpress::analysis
