// Fuses the nodes that compute LayerNormalization, if the opset has it.
//
//   before: d = Sub(x, ReduceMean(x)); y = Mul(Div(d, Sqrt(Add(ReduceMean(Pow(d, 2)), epsilon))), scale)
//   after:  y = LayerNormalization(x, scale, epsilon)
//
// Both means must keep their axes and run over the same last axes, and the scale must have exactly their shape. Casts
// to float around the statistics of a float16 model are removed, because LayerNormalization computes them in float
// anyway. fuse-layer-norm-bias adds the bias.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"
#include "onnxpress/passes/shared/reduction.h"

namespace onnxpress::passes {

namespace {

#define DEVIATION "d = Sub(z, m = ReduceMean(z))"
#define VARIANCE "v = ReduceMean((Pow(d, 2) | Mul(d, d)))"
#define ROOT "(Sqrt(Add(" VARIANCE ", #epsilon)) | Pow(Add(" VARIANCE ", #epsilon), 0.5))"
#define INVERSE "(Reciprocal(" ROOT ") | Div(1, " ROOT ") | Pow(Add(" VARIANCE ", #epsilon), -0.5))"
#define NORMALIZED "(Div(" DEVIATION ", " ROOT ") | Mul(" DEVIATION ", " INVERSE "))"

bool apply_fuse_layer_norm(Node& node, Rewriter& rw) {
  static const Pattern kPattern("Mul(Cast?(" NORMALIZED "), scale)");
  const auto match = kPattern.find(node, rw);
  if (!match) return false;
  const auto axis = trailing_axis(*match->node("m"), rw);
  if (!axis || trailing_axis(*match->node("v"), rw) != axis || !(match->number("epsilon") >= 0)) return false;
  // In a float16 model, skip the Casts around this part.
  Value* x = (*match)["z"];
  const ElementType type = rw.element_of(node.output());
  if (Node* cast = rw.producer(x, "Cast"); cast && rw.element_of(x) != type) x = cast->input(0);
  const ElementType inside = rw.element_of((*match)["z"]);
  if (rw.element_of(x) != type || rw.element_of((*match)["scale"]) != type) return false;
  if (inside != type && inside != ElementType::kFloat) return false;
  Value* scale = in_trailing_shape((*match)["scale"], x, *axis, rw);
  return rw.replace(
      node, rw.make("LayerNormalization", {x, scale}, {{"axis", *axis}, {"epsilon", match->number("epsilon")}}));
}

constexpr std::string_view kFuseLayerNormRoots[] = {"Mul"};

}  // namespace

extern const Rewrite fuse_layer_norm;
const Rewrite fuse_layer_norm = {.name = "fuse-layer-norm",
                                 .summary = "fuses the nodes that compute LayerNormalization",
                                 .exactness = Exactness::kReassociates,
                                 .group = "blocks",
                                 .large_pattern = true,
                                 .roots = kFuseLayerNormRoots,
                                 .apply = apply_fuse_layer_norm};

}  // namespace onnxpress::passes
