// Builder: turns a parsed text into graphs. Names become values, in scopes that bodies inherit. Internal to text/.
#pragma once

#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/text/syntax.h"

namespace onnxpress::text {

class Builder {
 public:
  explicit Builder(Model& model) : model_(model), names_(model.context().names), arena_(model.arena()) {}

  void build_main_graph(const GraphSyntax& syntax);
  void build_function(const FunctionSyntax& syntax);

 private:
  // A name that a graph defined, with its meaning outside.
  struct Shadowed {
    NameTable::Id name;
    Value* outer;
  };

  // Defines all names of a graph first and then resolves them, so that nodes may be in any order.
  void build(const GraphSyntax& syntax, Graph& graph);
  Attribute* complete(const AttributeSyntax& syntax);
  void declare_inputs(const GraphSyntax& syntax, Graph& graph);
  void define_initializer(const InitializerSyntax& syntax, Graph& graph);
  void append_node(const NodeSyntax& syntax, std::span<Value* const> outputs, Graph& graph);
  void put_in_order(Graph& graph);
  void fill(ValueInfo& info, const Annotations& annotations);

  std::string_view copied(std::string_view word);
  Value* define(std::string_view name, Graph& graph, DefinitionKind kind = DefinitionKind::kOther);
  Value* meaning(std::string_view name) const;
  Value* own(std::string_view name, const Graph& graph) const;
  Value* resolve(std::string_view name, Graph& graph);

  template <typename T>
  std::span<const T> in_arena(const std::vector<T>& list) {
    return arena_.copy(std::span<const T>(list));
  }

  Model& model_;
  NameTable& names_;
  Arena& arena_;
  NameTable words_;                    // operators, domains and overloads: each copied once
  std::vector<Value*> scope_;          // by name id: what the name means here
  std::vector<DefinitionKind> kinds_;  // by name id: how the main graph defines it
  std::vector<Shadowed> shadowed_;     // undo log of scope_, for leaving a graph
};

}  // namespace onnxpress::text
