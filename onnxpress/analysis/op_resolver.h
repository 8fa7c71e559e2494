// OpResolver: which op, or which function of the model, a node means, by the opsets that the model, or the function
// around the node, imports. Each op of the model is looked up once; after that a question is an index into a table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/op.h"

namespace onnxpress::analysis {

// Valid for the current imports and functions of a model; make a new one when those change. New nodes are fine.
class OpResolver {
 public:
  explicit OpResolver(const Model& model);

  // Null when nothing is known about it. A function of the model takes precedence over an op of the same name.
  const Function* function_of(const Node& node) const;
  const ops::Op* op_of(const Node& node) const;
  // The op, unless a function of the model has its name.
  const ops::Op* plain_op_of(const Node& node) const { return function_of(node) ? nullptr : op_of(node); }
  // The op that a node with this op type in `graph` would refer to; "" is the standard domain.
  const ops::Op* op_named(std::string_view domain, std::string_view op_type, const Graph& graph) const;
  // The opset version of the domain for nodes of `graph`; nullopt when it is not imported.
  std::optional<std::int64_t> version_of(std::string_view domain, const Graph& graph) const;
  // The imports of the function around the graph, otherwise those of the model.
  const std::vector<OpsetImport>& imports_of(const Graph& graph) const;

 private:
  template <typename Meaning>
  struct Looked {
    const Meaning* meaning = nullptr;
    bool up = false;
  };

  // The imports of one function, or of the model, by domain; a map because a hostile file can have many.
  struct Versions {
    std::size_t imports = 0;  // how many imports there were when the map was built
    std::unordered_map<std::string_view, std::int64_t> of;
  };

  const Function* enclosing_function(const Graph& graph) const;

  const Model& model_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const Function*> functions_;
  std::unordered_map<const Graph*, const Function*> bodies_;
  // By Node::op_id(). Ops are kept per enclosing function (null: none), because functions have their own imports.
  mutable std::vector<Looked<Function>> functions_by_id_;
  mutable std::unordered_map<const Function*, std::vector<Looked<ops::Op>>> ops_by_id_;
  mutable std::unordered_map<const Function*, Versions> versions_;
};

}  // namespace onnxpress::analysis
