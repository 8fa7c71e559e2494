// Which constants of a model may be replaced, and which names are free in a scope. Sharing and encoding must respect
// both.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// The graph around all bodies: a main graph, a function's body or a training graph.
Graph& root_of(Graph& graph);
// The node of `root` that is `node` or contains it in a body.
Node& outermost(Node& node, const Graph& root);

class Scopes {
 public:
  explicit Scopes(const Model& model);

  // An initializer that is not an input, or the result of a Constant node. It may be an output of the main graph or of
  // a function (then it must stay, with its name), but not of a body.
  bool is_constant(const Value& value) const;
  bool must_stay(const Value& value) const { return value.is_output() || pinned_.contains(value.name()); }

  // Whether no other value of the model has the same name. A value without a name will get a unique one.
  bool has_own_name(const Value& value) const { return value.name().empty() || definitions(value.name()) == 1; }
  // How many values of the model have this name. In a valid model there is one, or one in each of several sibling
  // bodies.
  std::uint32_t definitions(std::string_view name) const;
  void remove_definition(std::string_view name);  // a value of that name is removed
  void add_definition(std::string_view name) { ++definitions_[name]; }

 private:
  std::unordered_map<std::string_view, std::uint32_t> definitions_;
  std::unordered_set<std::string_view> pinned_;  // named by quantization annotations
};

}  // namespace onnxpress::passes
