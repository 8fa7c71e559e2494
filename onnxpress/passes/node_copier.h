// NodeCopier: copies nodes with their bodies to another place in the same model.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

class NodeCopier {
 public:
  explicit NodeCopier(Model& model) : model_(model) {}

  // Copies read `to` where the originals read `from`; null: the operand is left out. A result of a node that is copied
  // later may be mapped as well, to a value without a producer, which the copy then makes.
  void map(const Value* from, Value* to) { values_[from] = to; }
  // What copies read for this value: itself, unless it was mapped or made by a node that was copied.
  Value* copy_of(Value* value) const;

  // What an attribute that refers to one of the function around it stands for; null: it is left out.
  std::function<const Attribute*(std::string_view name)> referred;
  std::string name_prefix;  // before the names of nodes

  // In front of `position`, null: at the end.
  Node* copy(const Node& node, Graph& to, Node* position);
  // All nodes of a body whose inputs are mapped, in front of `position`. Its outputs become `results`, values without a
  // producer; null: not wanted. The new nodes are returned.
  std::vector<Node*> copy_all(const Graph& body, Graph& to, Node* position, std::span<Value* const> results);

 private:
  Attribute* copy(const Attribute& attribute);
  Graph* copy_body(const Graph& body);
  Value* made(Value* value, Graph& graph);

  Model& model_;
  std::unordered_map<const Value*, Value*> values_;
};

}  // namespace onnxpress::passes
