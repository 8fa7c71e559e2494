// Follows values from unknown ops, also into bodies and functions.
#include "onnxpress/tasks/profile/opaque_values.h"

#include <algorithm>

#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/shape_rules.h"

namespace onnxpress {

bool OpaqueValues::has_inference(const Node& node) const {
  if (facts_.ops().function_of(node)) return true;
  const ops::Op* op = facts_.ops().op_of(node);
  return (op && op->def && op->def->infer) || (rules_ && rules_->has_rule(node));
}

bool OpaqueValues::reads_opaque(const Node& node) const {
  return !values_.empty() &&
         std::ranges::any_of(node.inputs(), [this](const Use& use) { return is_opaque(use.value()); });
}

bool OpaqueValues::has_opaque_inside(const Node& node, int depth) {
  if (const Function* function = facts_.ops().function_of(node)) {
    const auto [known, is_new] = functions_.emplace(function, false);
    if (is_new) functions_[function] = has_opaque_node(*function->body, depth);
    return functions_[function];
  }
  bool found = false;
  for (Attribute* attribute : node.attributes())
    for_each_graph_in(*attribute, [&](Graph& body) { found = found || has_opaque_node(body, depth); });
  return found;
}

bool OpaqueValues::has_opaque_node(const Graph& body, int depth) {
  constexpr int kMostDepth = 64;
  if (depth > kMostDepth) return false;
  for (const Node& node : body.nodes()) {
    if (!has_inference(node) || reads_opaque(node) || has_opaque_inside(node, depth + 1)) return true;
  }
  return false;
}

bool OpaqueValues::add(const Node& node) {
  const bool from_outside = reads_opaque(node);
  if (!from_outside && has_inference(node) && !has_opaque_inside(node, 0)) return false;
  for (const Value* output : node.outputs()) {
    if (output) values_.insert(output);
  }
  if (!from_outside) return true;
  const auto open = [this](const Graph& body) {
    for (const ValueInfo* input : body.inputs()) values_.insert(input->value);
  };
  if (const Function* function = facts_.ops().function_of(node)) open(*function->body);
  for (Attribute* attribute : node.attributes()) for_each_graph_in(*attribute, open);
  return true;
}

}  // namespace onnxpress
