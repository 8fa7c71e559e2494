// Fuses the nodes that compute Softmax.
//
//   before: e = Exp(Sub(x, ReduceMax(x))); y = Div(e, ReduceSum(e))
//   after:  y = Softmax(x)
//
// Only if the maximum is subtracted: otherwise large elements overflow, and Softmax would hide that. Both reductions
// must keep their axes and run over the same single axis.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"
#include "onnxpress/passes/shared/reduction.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_softmax(Node& node, Rewriter& rw) {
  static const Pattern kPattern("Div(e = Exp(Sub(x, m = ReduceMax(x))), s = ReduceSum(e))");
  const auto match = kPattern.find(node, rw);
  if (!match || !keeps_axes(*match->node("m"), rw) || !keeps_axes(*match->node("s"), rw)) return false;
  const auto axes = reduced_axes(*match->node("m"), rw);
  const auto shape = rw.shape_of((*match)["x"]);
  if (!axes || !shape) return false;
  if (axes->size() != 1 || reduced_axes(*match->node("s"), rw) != axes)
    return rw.refuse("ReduceMax and ReduceSum do not reduce the same single axis");
  // Old versions flatten all axes from `axis` on, so they work on a single axis only if it is the last.
  const bool flattens = rw.ops().op_named("", "Softmax", *node.graph())->schema->attribute("axis")->default_text == "1";
  if (flattens && axes->front() + 1 != shape->size())
    return rw.refuse("below opset 13, Softmax works on a single axis only if it is the last");
  return rw.replace(node, rw.make("Softmax", {(*match)["x"]}, {{"axis", static_cast<std::int64_t>(axes->front())}}));
}

constexpr std::string_view kFuseSoftmaxRoots[] = {"Div"};

}  // namespace

extern const Rewrite fuse_softmax;
const Rewrite fuse_softmax = {.name = "fuse-softmax",
                              .summary = "fuses the nodes that compute Softmax",
                              .exactness = Exactness::kReassociates,
                              .group = "blocks",
                              .large_pattern = true,
                              .roots = kFuseSoftmaxRoots,
                              .apply = apply_fuse_softmax};

}  // namespace onnxpress::passes
