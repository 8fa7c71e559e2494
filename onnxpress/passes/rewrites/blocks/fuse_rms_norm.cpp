// Fuses the nodes that compute RMSNormalization, if the opset has it.
//
//   before: y = Mul(Div(x, Sqrt(Add(ReduceMean(Pow(x, 2)), epsilon))), scale)
//   after:  y = RMSNormalization(x, scale, epsilon)
//
// The mean must keep its axes and run over the last ones, and the scale must have exactly their shape. Casts to float
// around the statistics of a float16 model are removed, because RMSNormalization computes them in float anyway.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"
#include "onnxpress/passes/shared/reduction.h"

namespace onnxpress::passes {

namespace {

#define SQUARE "Add(v = ReduceMean((Pow(z, 2) | Mul(z, z))), #epsilon)"
#define RMS_ROOT "(Sqrt(" SQUARE ") | Pow(" SQUARE ", 0.5))"
#define RMS_INVERSE "(Reciprocal(" RMS_ROOT ") | Div(1, " RMS_ROOT ") | Pow(" SQUARE ", -0.5))"

bool apply_fuse_rms_norm(Node& node, Rewriter& rw) {
  static const Pattern kPattern("Mul(Cast?((Div(z, " RMS_ROOT ") | Mul(z, " RMS_INVERSE "))), scale)");
  const auto match = kPattern.find(node, rw);
  const auto axis = match ? trailing_axis(*match->node("v"), rw) : std::nullopt;
  if (!axis || !(match->number("epsilon") >= 0)) return false;
  // In a float16 model, skip the Casts around this part.
  Value *x = (*match)["z"], *scale = (*match)["scale"];
  const ElementType type = rw.element_of(node.output()), inside = rw.element_of(x);
  if (Node* cast = rw.producer(x, "Cast"); cast && inside != type) x = cast->input(0);
  if (rw.element_of(x) != type || rw.element_of(scale) != type) return false;
  if (inside != type && inside != ElementType::kFloat) return false;
  scale = in_trailing_shape(scale, x, *axis, rw);
  return rw.replace(node,
                    rw.make("RMSNormalization", {x, scale}, {{"axis", *axis}, {"epsilon", match->number("epsilon")}}));
}

constexpr std::string_view kFuseRmsNormRoots[] = {"Mul"};

}  // namespace

extern const Rewrite fuse_rms_norm;
const Rewrite fuse_rms_norm = {.name = "fuse-rms-norm",
                               .summary = "fuses the nodes that compute RMSNormalization",
                               .exactness = Exactness::kReassociates,
                               .group = "blocks",
                               .large_pattern = true,
                               .roots = kFuseRmsNormRoots,
                               .apply = apply_fuse_rms_norm};

}  // namespace onnxpress::passes
