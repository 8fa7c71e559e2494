// Fuses the InstanceNormalization of groups that exporters write into GroupNormalization.
//
//   before: t = Reshape(InstanceNormalization(Reshape(x, [0, groups, -1]), ones, zeros), shape of x)
//           y = Add(Mul(t, scale), bias)                  with scale and bias of shape [channels, 1, 1]
//   after:  y = GroupNormalization(x, scale, bias, num_groups = groups)
//
// The opset must have the form with one scale per channel (the form with one scale per group is deprecated). Off by
// default: ONNX Runtime has no kernel for it and took twice as long as with InstanceNormalization.
#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

bool is_filled_with(const Value* value, double number, const Rewriter& rw) {
  const auto array = rw.constant(value);
  return array && array->type() == ElementType::kFloat &&
         std::ranges::all_of(array->data<float>(), [number](float each) { return each == number; });
}

// A constant of shape [channels, 1, ...] as [channels]; null when it has another shape. `behind` axes of size 1 must
// follow the channels.
Value* group_norm_channels(Value* value, std::int64_t channels, std::size_t behind, Rewriter& rw) {
  const auto shape = rw.shape_of(value);
  if (!shape || !rw.is_constant(value) || shape->size() < behind + 1) return nullptr;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const bool is_channels = shape->size() - i == behind + 1;
    if ((*shape)[i] == Dim::size(is_channels ? channels : 1)) continue;
    rw.refuse("{} does not have one number per channel", quote_name(value->name()));
    return nullptr;
  }
  return rw.reshaped(value, {channels});
}

bool apply_fuse_group_norm(Node& node, Rewriter& rw) {
  static const Pattern kPattern(
      "Add(Mul(t = Reshape(n = InstanceNormalization(r = Reshape(x), ones, zeros)), scale), bias)");
  const ops::Op* op = rw.ops().op_named("", "GroupNormalization", *node.graph());
  const auto match = kPattern.find(node, rw);
  if (!match) return false;
  if (!op || !op->schema->attribute("stash_type")) return rw.refuse("GroupNormalization needs opset 21");
  Value* x = (*match)["x"];
  const auto shape = rw.shape_of(x), grouped = rw.shape_of((*match)["r"]);
  if (!shape || !grouped || shape->size() < 3 || grouped->size() != 3 || !rw.same_shape(x, (*match)["t"])) return false;
  const auto channels = (*shape)[1].size(), groups = (*grouped)[1].size();
  if (!channels || !groups || *groups < 1 || *channels % *groups != 0) return false;
  if (!rw.dims().equal((*shape)[0], (*grouped)[0]) || rw.element_of(x) != ElementType::kFloat) return false;
  if (!is_filled_with((*match)["ones"], 1, rw) || !is_filled_with((*match)["zeros"], 0, rw)) return false;
  Value* scale = group_norm_channels((*match)["scale"], *channels, shape->size() - 2, rw);
  Value* bias = group_norm_channels((*match)["bias"], *channels, shape->size() - 2, rw);
  const double epsilon = rw.params(*match->node("n")).real_or("epsilon", 1e-5);
  return scale && bias &&
         rw.replace(node,
                    rw.make("GroupNormalization", {x, scale, bias}, {{"num_groups", *groups}, {"epsilon", epsilon}}));
}

constexpr std::string_view kFuseGroupNormRoots[] = {"Add"};

}  // namespace

extern const Rewrite fuse_group_norm;
const Rewrite fuse_group_norm = {.name = "fuse-group-norm",
                                 .summary = "fuses InstanceNormalization of groups into GroupNormalization",
                                 .exactness = Exactness::kReassociates,
                                 .group = "blocks",
                                 .on_request = true,
                                 .roots = kFuseGroupNormRoots,
                                 .apply = apply_fuse_group_norm};

}  // namespace onnxpress::passes
