// Replaces operands, values and nodes, and keeps order, scopes and the names of graph outputs right.
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/ops/schema/schema_defaults.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// The node of `graph` that is `node` or contains it in a body; null when there is none.
Node* node_in(const Graph& graph, Node& node) {
  for (Node* each = &node; each; each = each->graph()->owner()) {
    if (each->graph() == &graph) return each;
  }
  return nullptr;
}

// Calls `visit(Value&)` for each value that the node or one of its bodies reads.
template <typename Visit>
void for_each_value_read(const Node& node, Visit&& visit) {
  for (const Use& use : node.inputs()) {
    if (use.value()) visit(*use.value());
  }
  for (const Attribute* attribute : node.attributes()) {
    for_each_graph_in(*attribute, [&](const Graph& body) {
      for (const Node& inner : body.nodes()) for_each_value_read(inner, visit);
      for (const ValueInfo* output : body.outputs()) visit(*output->value);
    });
  }
}

void remove_value_infos(const Value& value) {
  if (!value.first_declaration()) return;
  Graph& graph = *value.graph();
  std::vector<ValueInfo*> kept;
  for (ValueInfo* info : graph.value_infos()) {
    if (info->value != &value) kept.push_back(info);
  }
  graph.keep_value_infos(std::move(kept));
}

}  // namespace

// Whether the value is available when `user` runs, possibly after moving the nodes that compute it in front of `user`.
bool Rewriter::comes_in_time(const Value& value, const Node& user) const {
  std::unordered_set<const Node*> seen;
  std::vector<const Value*> open = {&value};
  while (!open.empty()) {
    const Value& each = *open.back();
    open.pop_back();
    Node* place = node_in(*each.graph(), const_cast<Node&>(user));
    if (!place) {
      if (&each == &value) return false;  // defined in a body that `user` is not in
      continue;                           // computed inside a body that moves along
    }
    Node* maker = each.producer();
    if (!maker || maker->comes_before(*place) || !seen.insert(maker).second) continue;
    if (maker == place) return false;  // it depends on `user`
    for_each_value_read(*maker, [&](const Value& read) { open.push_back(&read); });
  }
  return true;
}

void Rewriter::move_in_front(const Value& value, Node& user) {
  Node* maker = value.producer();
  Node* place = maker ? node_in(*maker->graph(), user) : nullptr;
  if (!place || maker->comes_before(*place)) return;
  for_each_value_read(*maker, [&](const Value& read) { move_in_front(read, user); });
  maker->graph()->move_before(*maker, place);
}

bool Rewriter::set_input(Node& node, std::size_t i, Value* value) {
  if (!value || !comes_in_time(*value, node)) return false;
  move_in_front(*value, node);
  std::vector<Value*> inputs;
  for (const Use& use : node.inputs()) inputs.push_back(use.value());
  inputs.resize(std::max(inputs.size(), i + 1), nullptr);
  inputs[i] = value;
  node.graph()->set_inputs(node, inputs);
  return true;
}

bool Rewriter::set_parameter(Node& node, const Parameter& parameter) {
  const ops::Op* op = op_of(node);
  if (!op) return false;
  if (Attribute* attribute = make_parameter_attribute(*op->schema, parameter, model_.arena())) {
    node.graph()->set_attribute(node, attribute);
    return true;
  }
  const int place = op->schema->operand(parameter.name);
  if (op->schema->attribute(parameter.name) || place < 0) return false;
  ops::Array array = array_of(parameter);
  const Value* before = node.input(static_cast<std::size_t>(place));
  const ElementType type = before ? element_of(before) : array.type();
  if (!ops::allows(*op->schema, op->schema->operands[static_cast<std::size_t>(place)], type)) return false;
  const auto made = type == array.type() ? std::optional(array) : ops::converted(array, type);
  return made && set_input(node, static_cast<std::size_t>(place), constant(*made));
}

bool Rewriter::replace(Node& node, Value* value) {
  Value* used = nullptr;
  for (Value* output : node.outputs()) {
    if (!output || !output->is_used()) continue;
    if (used) return false;
    used = output;
  }
  if (!used || !replace_value(used, value)) return false;
  if (!used->is_used() && !node.erased()) node.graph()->erase(node);
  return true;
}

bool Rewriter::replace_value(Value* value, Value* with) {
  if (!with || value == with || !value->producer()) return false;
  if (const auto shape = shape_of(with); shape && !declares_rank_of(*value, *shape)) return false;
  return replace_same(value, with);
}

bool Rewriter::replace_same(Value* value, Value* with) {
  if (!with || value == with || !value->producer()) return false;
  Node& maker = *value->producer();
  if (!comes_in_time(*with, maker)) {
    refused(with, "is computed too late to be used here");
    return false;
  }
  if (!value->is_output()) {
    move_in_front(*with, maker);
    value->graph()->replace_operands(value, with);
    return true;
  }
  return replace_output(value, with);
}

namespace {

bool is_made_by(const Value* value, std::string_view op_type) {
  return value && value->producer() && value->producer()->is(op_type);
}

// ONNX Runtime 1.31 fuses both Transposes into a Gemm, even if one of them computes an output of the model, and then
// cannot find that output.
bool is_lost_in_gemm(const Value& value) {
  if (!is_made_by(&value, "Transpose")) return false;
  for (const Use* use = value.first_use(); use; use = use->next()) {
    const Node* user = use->user();
    if (user && user->is("Gemm") && is_made_by(user->input(0), "Transpose") && is_made_by(user->input(1), "Transpose"))
      return true;
  }
  return false;
}

}  // namespace

bool Rewriter::can_carry_name(const Value& with, const Value& value) const {
  return with.producer() && with.graph() == value.graph() && !with.is_output() && !is_lost_in_gemm(with);
}

bool Rewriter::replace_output(Value* value, Value* with) {
  Graph& graph = *value->graph();
  Node& maker = *value->producer();
  if (can_carry_name(*with, *value)) {
    move_in_front(*with, maker);
    graph.replace_all_uses(value, with);
    const std::string_view name = value->name();
    graph.rename(*value, {});
    graph.rename(*with, name);
    remove_value_infos(*with);  // the output declares its type
    return true;
  }
  const bool is_copy = maker.is("Identity") && maker.input(0) == with;
  if (is_copy && !value->first_use()) {  // this is the Identity that has to stay
    refused(value, "is an output of the graph, and what it copies cannot have its name");
    return false;
  }
  if (maker.used_outputs() > 1) {  // the node must stay for its other results, so a copy takes over the name
    move_in_front(*with, maker);
    Value* copy = graph.create_value({}, value->type());
    graph.insert_before(&maker, {.op_type = "Identity", .inputs = {&with, 1}, .outputs = {&copy, 1}});
    return replace_output(value, copy);
  }
  move_in_front(*with, maker);
  graph.replace_operands(value, with);
  if (is_copy) return true;
  Node* identity = graph.insert_before(&maker, {.op_type = "Identity", .inputs = {&with, 1}, .outputs = {&value, 1}});
  if (position_ == &maker) position_ = identity;
  graph.erase(maker);
  return true;
}

}  // namespace onnxpress::passes
