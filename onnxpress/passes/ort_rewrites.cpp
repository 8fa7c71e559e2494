// Shared by the rewrites to operators of ONNX Runtime.
#include "onnxpress/passes/ort_rewrites.h"

#include <algorithm>

namespace onnxpress::passes {

Node* sole_ort_producer(const Value* value, std::string_view op_type) {
  Node* node = value ? value->producer() : nullptr;
  if (!node || node->domain() != kOrtDomain || node->op_type() != op_type || value->is_output()) return nullptr;
  const bool is_sole = value->first_use() && !value->first_use()->next() && node->used_outputs() == 1;
  return is_sole ? node : nullptr;
}

Value* make_ort(std::string_view op_type, std::initializer_list<Value*> operands,
                std::initializer_list<Parameter> parameters, Rewriter& rw) {
  return rw.make(op_type, std::span(operands.begin(), operands.size()),
                 std::span(parameters.begin(), parameters.size()), kOrtDomain);
}

// --- SkipLayerNormalization

namespace {

// ONNX Runtime compares the shapes of both addends as far as it knows them; it knows sizes for certain.
bool is_merged_by_ort(const Node& norm, const ops::Shape& shape) {
  return norm.is("LayerNormalization") && std::ranges::all_of(shape, [](Dim dim) { return dim.size().has_value(); });
}

// Whether this is a list with as many numbers as the last axis, and not one that is repeated.
bool covers(const std::optional<ops::Shape>& list, Dim last, const Rewriter& rw) {
  if (!list || list->size() != 1) return false;
  const auto size = list->front().size();
  return (size && *size != 1) || rw.dims().equal(list->front(), last);
}

}  // namespace

bool fuse_skip_layer_norm(Node& norm, bool everywhere, Rewriter& rw) {
  Node* add = rw.producer(norm.input(0), "Add");
  const auto shape = add ? rw.shape_of(norm.input(0)) : std::nullopt;
  if (!shape || shape->size() != 3 || norm.used_outputs() != 1 || !norm.output()->is_used()) return false;
  if (add->output()->is_output() || add->graph() != norm.graph()) return false;
  if (!rw.same_shape(add->input(0), add->output()) || !rw.same_shape(add->input(1), add->output())) return false;
  const auto params = rw.params(norm);
  const std::int64_t axis = params.integer_or("axis", -1);
  if ((axis != -1 && axis != 2) || params.integer_or("stash_type", 1) != 1) return false;
  if (!covers(rw.shape_of(norm.input(1)), shape->back(), rw)) return false;
  if (norm.input(2) && !covers(rw.shape_of(norm.input(2)), shape->back(), rw)) return false;
  for (const Value* each : {norm.input(0), norm.input(1)}) {
    if (!is_for_ort(each, rw)) return false;
  }
  // Nodes that read the sum must come after the norm, because the new node computes the sum only there.
  bool is_read = false;
  for (const Use* use = add->output()->first_use(); use; use = use->next()) {
    if (use->user() == &norm) continue;
    const Node* user = use->user();
    while (user && user->graph() != norm.graph()) user = user->graph()->owner();
    if (!user || user->comes_before(norm)) return false;
    is_read = true;
  }
  if (!everywhere && (is_read || !is_merged_by_ort(norm, *shape))) return false;
  std::vector<Value*> operands = {add->input(0), add->input(1), norm.input(1)};
  const bool is_simple = norm.is("RMSNormalization");
  if (!is_simple && norm.input(2)) operands.push_back(norm.input(2));
  const Parameter parameters[] = {{"epsilon", params.real_or("epsilon", 1e-5)}};
  const Node* made = rw.make_node(is_simple ? "SkipSimplifiedLayerNormalization" : "SkipLayerNormalization", operands,
                                  parameters, is_read ? 4 : 1, kOrtDomain);
  if (!made) return false;
  if (is_read) add->output()->graph()->replace_operands(add->output(), made->output(3));
  return rw.replace(norm, made->output());
}

}  // namespace onnxpress::passes
