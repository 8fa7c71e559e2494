// Looks up the op or function of nodes.
#include "onnxpress/analysis/op_resolver.h"

namespace onnxpress::analysis {

OpResolver::OpResolver(const Model& model) : model_(model) {
  for (const Function* function : model.functions) {
    functions_.emplace(std::tuple(normal_domain(function->domain), function->name, function->overload), function);
    bodies_.emplace(function->body, function);
  }
}

const Function* OpResolver::function_of(const Node& node) const {
  if (functions_.empty()) return nullptr;
  if (node.op_id() >= functions_by_id_.size()) functions_by_id_.resize(model_.context().op_names.size());
  auto& looked = functions_by_id_[node.op_id()];
  if (!looked.up) {
    const auto found = functions_.find(std::tuple(normal_domain(node.domain()), node.op_type(), node.overload()));
    looked = {found == functions_.end() ? nullptr : found->second, true};
  }
  return looked.meaning;
}

// A body inside a function uses the function's imports.
const Function* OpResolver::enclosing_function(const Graph& graph) const {
  if (bodies_.empty()) return nullptr;
  const Graph* root = &graph;
  while (const Graph* parent = root->parent()) root = parent;
  const auto found = bodies_.find(root);
  return found == bodies_.end() ? nullptr : found->second;
}

const std::vector<OpsetImport>& OpResolver::imports_of(const Graph& graph) const {
  const Function* function = enclosing_function(graph);
  return function ? function->opsets : model_.opsets;
}

const ops::Op* OpResolver::op_of(const Node& node) const {
  auto& table = ops_by_id_[enclosing_function(*node.graph())];
  if (node.op_id() >= table.size()) table.resize(model_.context().op_names.size());
  auto& looked = table[node.op_id()];
  if (!looked.up) looked = {op_named(normal_domain(node.domain()), node.op_type(), *node.graph()), true};
  return looked.meaning;
}

std::optional<std::int64_t> OpResolver::version_of(std::string_view domain, const Graph& graph) const {
  const std::vector<OpsetImport>& imports = imports_of(graph);
  Versions& versions = versions_[enclosing_function(graph)];
  if (versions.imports != imports.size()) {
    versions.imports = imports.size();
    versions.of.clear();
    for (const OpsetImport& import : imports) versions.of[normal_domain(import.domain)] = import.version;
  }
  const auto found = versions.of.find(normal_domain(domain));
  return found == versions.of.end() ? std::nullopt : std::optional(found->second);
}

const ops::Op* OpResolver::op_named(std::string_view domain, std::string_view op_type, const Graph& graph) const {
  // Like ONNX Runtime, assumes version 1 of a domain that is not imported.
  return ops::find_op(domain, op_type, version_of(domain, graph).value_or(1));
}

}  // namespace onnxpress::analysis
