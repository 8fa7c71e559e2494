// Looking up the meaning of nodes.
#include "onnxpress/analysis/model_ops.h"

namespace onnxpress::analysis {

namespace {

std::string_view plain(std::string_view domain) { return is_standard_domain(domain) ? std::string_view() : domain; }

}  // namespace

ModelOps::ModelOps(const Model& model) : model_(model) {
  for (const Function* function : model.functions) {
    functions_.emplace(std::tuple(plain(function->domain), function->name, function->overload), function);
    bodies_.emplace(function->body, function);
  }
}

const Function* ModelOps::function_of(const Node& node) const {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find(std::tuple(plain(node.domain()), node.op_type(), node.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

// A body inside a function goes by the function's imports.
const std::vector<OpsetImport>& ModelOps::imports_of(const Graph& graph) const {
  if (bodies_.empty()) return model_.opsets;
  const Graph* root = &graph;
  while (const Graph* parent = root->parent()) root = parent;
  const auto found = bodies_.find(root);
  return found == bodies_.end() ? model_.opsets : found->second->opsets;
}

const ops::Op* ModelOps::op_of(const Node& node) const {
  const std::vector<OpsetImport>& imports = imports_of(*node.graph());
  const std::string_view domain = plain(node.domain());
  const auto [at, is_new] =
      found_.try_emplace(std::tuple(static_cast<const void*>(&imports), domain, node.op_type()), nullptr);
  if (is_new) {
    std::int64_t version = 1;  // as ONNX Runtime takes it for a domain that is not imported
    for (const OpsetImport& import : imports) {
      if (plain(import.domain) == domain) version = import.version;
    }
    at->second = ops::find_op(domain, node.op_type(), version);
  }
  return at->second;
}

}  // namespace onnxpress::analysis
