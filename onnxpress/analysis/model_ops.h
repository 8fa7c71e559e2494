// ModelOps: which op, or which function of the model, a node means: by the opsets that the model, or the function
// around the node, imports.
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/op.h"

namespace onnxpress::analysis {

class ModelOps {
 public:
  explicit ModelOps(const Model& model);

  // Null when nothing is known about it. A function of the model goes before an op of the same name.
  const Function* function_of(const Node& node) const;
  const ops::Op* op_of(const Node& node) const;
  // Of the model, or of the function around the graph.
  const std::vector<OpsetImport>& imports_of(const Graph& graph) const;

 private:
  const Model& model_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const Function*> functions_;
  std::unordered_map<const Graph*, const Function*> bodies_;
  mutable std::map<std::tuple<const void*, std::string_view, std::string_view>, const ops::Op*> found_;
};

}  // namespace onnxpress::analysis
