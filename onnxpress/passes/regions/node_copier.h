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

  // Copies read `to` where the originals read `from`; null: the operand is omitted. A result of a node that is copied
  // later may also be mapped, to a value without a producer, which the copy then produces.
  void map(const Value* from, Value* to) { values_[from] = to; }
  // What copies read in place of this value: the value itself, unless it was mapped or is a result of a copied node.
  Value* copy_of(Value* value) const;

  // Returns the value for an attribute that refers to an attribute of the function; null: it is omitted.
  std::function<const Attribute*(std::string_view name)> referred;
  std::string name_prefix;  // put before the names of copied nodes

  // Inserts the copy in front of `position`; null: at the end.
  Node* copy(const Node& node, Graph& to, Node* position);
  // Copies all nodes of a body, whose inputs must be mapped, and inserts them in front of `position`. Its outputs
  // become `results`, values without a producer; null: not wanted. Returns the new nodes.
  std::vector<Node*> copy_all(const Graph& body, Graph& to, Node* position, std::span<Value* const> results);

 private:
  Attribute* copy(const Attribute& attribute);
  Graph* copy_body(const Graph& body);
  Value* made(Value* value, Graph& graph);

  Model& model_;
  std::unordered_map<const Value*, Value*> values_;
};

}  // namespace onnxpress::passes
