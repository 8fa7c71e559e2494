// Fuses the addition of a residual and the nodes that compute RMSNormalization after it, in opsets without that op.
//
//   before: s = Add(x, z); y = Mul(Div(s, Sqrt(Add(ReduceMean(Pow(s, 2)), epsilon))), g); and others may read s
//   after:  y, , , s = com.microsoft.SkipSimplifiedLayerNormalization(x, z, g, epsilon)
//
// Both addends must have the same shape with three axes, and the mean must run over the last one. In newer opsets,
// fuse-rms-norm comes first, and ort-skip-layer-norm does the rest.
#include <algorithm>

#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/blocks/rms_norm.h"

namespace onnxpress::passes {

namespace {

// Whether nodes outside the match read the sum; nullopt if one of them runs before the new node can compute it.
std::optional<bool> is_read_later(const Value& sum, const Node& last, const std::vector<Node*>& match) {
  bool is_read = false;
  for (const Use* use = sum.first_use(); use; use = use->next()) {
    const Node* user = use->user();
    while (user && user->graph() != last.graph()) user = user->graph()->owner();
    if (std::ranges::find(match, user) != match.end()) continue;
    if (!user || user->comes_before(last)) return std::nullopt;
    is_read = true;
  }
  return is_read;
}

bool apply_ort_skip_rms_norm(Node& node, Rewriter& rw) {
  if (!is_for_ort(node.output(), rw) || rw.ops().op_named("", "RMSNormalization", *node.graph())) return false;
  const auto found = find_rms_norm(node, rw);
  const Node* add = found && found->axis == -1 ? rw.producer(found->x, "Add") : nullptr;
  const auto shape = add ? rw.shape_of(found->x) : std::nullopt, scale = add ? rw.shape_of(found->scale) : std::nullopt;
  if (!shape || shape->size() != 3 || !scale || scale->size() != 1) return false;
  Value* sum = add->output();
  if (sum->is_output() || add->graph() != node.graph()) return false;
  if (!rw.same_shape(add->input(0), sum) || !rw.same_shape(add->input(1), sum)) return false;
  const auto is_read = is_read_later(*sum, node, found->nodes);
  if (!is_read) return false;
  Value* const operands[] = {add->input(0), add->input(1), found->scale};
  const Parameter parameters[] = {{"epsilon", found->epsilon}};
  const Node* made =
      rw.make_node("SkipSimplifiedLayerNormalization", operands, parameters, *is_read ? 4 : 1, kOrtDomain);
  if (!made || !rw.replace(node, made->output())) return false;
  for (Node* each : found->nodes) {  // they still read the sum, but come before the new node
    if (!each->erased() && each->used_outputs() == 0) each->graph()->erase(*each);
  }
  if (*is_read) sum->graph()->replace_operands(sum, made->output(3));
  return true;
}

constexpr std::string_view kOrtSkipRmsNormRoots[] = {"Mul"};

}  // namespace

extern const Rewrite ort_skip_rms_norm;
const Rewrite ort_skip_rms_norm = {.name = "ort-skip-rms-norm",
                                   .summary = "fuses a residual and RMSNormalization in opsets without that op",
                                   .exactness = Exactness::kReassociates,
                                   .group = "ort",
                                   .large_pattern = true,
                                   .roots = kOrtSkipRmsNormRoots,
                                   .apply = apply_ort_skip_rms_norm};

}  // namespace onnxpress::passes
