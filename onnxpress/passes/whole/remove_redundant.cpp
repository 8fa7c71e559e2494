// Removes attributes and declarations that add no information.
#include "onnxpress/passes/whole/remove_redundant.h"

#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::passes {

std::uint64_t remove_default_attributes(Model& model) {
  std::uint64_t removed = 0;
  const analysis::OpResolver ops(model);
  for_each_node(model, [&](Node& node) {
    const ops::Op* op = ops.function_of(node) ? nullptr : ops.op_of(node);
    if (!op || !(is_standard_domain(node.domain()) || node.domain() == "ai.onnx.ml")) return;
    std::vector<std::string_view> names;
    for (const Attribute* attribute : node.attributes()) {
      if (ops::is_default(*op->schema, *attribute)) names.push_back(attribute->name);
    }
    for (const std::string_view name : names) node.graph()->remove_attribute(node, name);
    removed += names.size();
  });
  return removed;
}

namespace {

// Whether a runtime can infer everything that the declaration says.
bool follows(const ValueInfo& info, const analysis::Facts& facts) {
  const Type* declared = info.type;
  if (!declared) return true;
  if (facts.relies_on_declaration(*info.value)) return false;
  const ops::Fact& fact = facts.of(*info.value);
  if (declared->kind != Type::Kind::kTensor || !declared->denotation.empty() || !declared->dim_denotations.empty())
    return false;
  if (!fact.is_tensor() || fact.element != declared->element) return false;
  if (!declared->has_shape) return true;
  const auto shape = facts.shape_of(*info.value);
  if (!shape || shape->size() != declared->dims.size()) return false;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const Dim dim = declared->dims[i];
    const bool says_nothing = dim.is_unknown() || (dim.is_symbol() && analysis::is_placeholder(dim.symbol()->name));
    if (!says_nothing && (*shape)[i] != dim) return false;
  }
  return true;
}

}  // namespace

std::uint64_t remove_redundant_types(Model& model) {
  std::uint64_t declared = 0, removed = 0;
  for_each_graph(model.graph(), [&declared](const Graph& graph) { declared += graph.value_infos().size(); });
  if (declared == 0) return 0;
  // Use only what a runtime would infer: our own inference finds more, but a runtime that lacks a shape may not fuse.
  const analysis::Facts facts(model, {.as_runtime = true});
  for_each_graph(model.graph(), [&](Graph& graph) {
    std::vector<ValueInfo*> kept;
    for (ValueInfo* info : graph.value_infos()) {
      if (info->value->is_defined() && !follows(*info, facts)) kept.push_back(info);
    }
    removed += graph.value_infos().size() - kept.size();
    graph.keep_value_infos(std::move(kept));
  });
  return removed;
}

}  // namespace onnxpress::passes
