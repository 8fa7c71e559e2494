// Merges the addition of a residual into the LayerNormalization or RMSNormalization after it.
//
//   before: s = Add(x, z); y = LayerNormalization(s, g, b); and others may read s
//   after:  y, , , s = com.microsoft.SkipLayerNormalization(x, z, g, b)
//
// Both addends must have the same shape with three axes, and the normalization must run over the last one. Scale and
// bias must have one number for each element of it: ONNX Runtime's op does not repeat a single one.
#include "onnxpress/passes/ort_rewrites.h"

namespace onnxpress::passes {

namespace {

// Whether this is a list with as many numbers as the last axis, and not one that is repeated.
bool covers(const std::optional<ops::Shape>& list, Dim last, const Rewriter& rw) {
  if (!list || list->size() != 1) return false;
  const auto size = list->front().size();
  return (size && *size != 1) || rw.dims().equal(list->front(), last);
}

bool apply_ort_skip_layer_norm(Node& norm, Rewriter& rw) {
  Node* add = rw.producer(norm.input(0), "Add");
  const auto shape = add ? rw.shape_of(norm.input(0)) : std::nullopt;
  if (!shape || shape->size() != 3 || norm.used_outputs() != 1 || !norm.output()->is_used()) return false;
  if (add->output()->is_output()) return rw.refuse("the sum is an output of the graph");
  if (add->graph() != norm.graph()) return false;
  if (!rw.same_shape(add->input(0), add->output()) || !rw.same_shape(add->input(1), add->output())) return false;
  const auto params = rw.params(norm);
  const std::int64_t axis = params.integer_or("axis", -1);
  if (axis != -1 && axis != 2) return rw.refuse("it normalizes more axes than the last");
  if (params.integer_or("stash_type", 1) != 1) return false;
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

constexpr std::string_view kOrtSkipLayerNormRoots[] = {"LayerNormalization", "RMSNormalization"};

}  // namespace

extern const Rewrite ort_skip_layer_norm;
const Rewrite ort_skip_layer_norm = {.name = "ort-skip-layer-norm",
                                     .summary = "merges the addition of a residual into the normalization after it",
                                     .exactness = Exactness::kReassociates,
                                     .group = "ort",
                                     .large_pattern = true,
                                     .roots = kOrtSkipLayerNormRoots,
                                     .apply = apply_ort_skip_layer_norm};

}  // namespace onnxpress::passes
