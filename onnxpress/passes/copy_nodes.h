// NodeCopier: the content of a body or function, made again somewhere else: loops unrolled, functions inlined.
#pragma once

#include <span>
#include <unordered_map>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

class NodeCopier {
 public:
  // Copies go into `to`, in front of `position` (null: at the end).
  NodeCopier(Model& model, Graph& to, Node* position) : model_(model), to_(&to), position_(position) {}

  // Whatever reads `from` in the original reads `with` in the copy; null: nothing is given there.
  void replace(const Value* from, Value* with) { values_[from] = with; }
  // For functions: what references of attributes stand for, those of the call and the function's defaults. Those
  // without a value are left out; those that are references themselves, in a call inside of a function, stay
  // references.
  void set_attributes(std::span<Attribute* const> given, std::span<Attribute* const> defaults) {
    given_ = given;
    defaults_ = defaults;
    is_function_ = true;
  }
  void keep_names() { keeps_names_ = true; }

  // Constants and nodes of the graph, bodies included. False, and maybe half of it copied, for sparse initializers.
  bool copy(const Graph& from);
  // What stands for a value in the copy; values from outside stand for themselves.
  Value* copy_of(Value* value) const;

 private:
  void copy_node(const Node& node);
  const Attribute* referred_to(std::string_view name) const;
  Attribute* copy_attribute(const Attribute& attribute);
  Graph* copy_body(const Graph& body);
  Value* made_for(Value* value, const Type* type);

  Model& model_;
  Graph* to_;
  Node* position_;
  std::span<Attribute*const> given_, defaults_;
  bool is_function_ = false;
  bool keeps_names_ = false;
  bool failed_ = false;
  std::unordered_map<const Value*, Value*> values_;
};

}  // namespace onnxpress::passes
