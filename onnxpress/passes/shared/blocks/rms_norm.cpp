// The pattern of RMSNormalization, and the conditions on its types and shapes.
#include "onnxpress/passes/shared/blocks/rms_norm.h"

#include "onnxpress/passes/shared/pattern.h"
#include "onnxpress/passes/shared/reduction.h"

namespace onnxpress::passes {

#define SQUARE "Add(v = ReduceMean((Pow(z, 2) | Mul(z, z))), #epsilon)"
#define RMS_ROOT "(Sqrt(" SQUARE ") | Pow(" SQUARE ", 0.5))"
#define RMS_INVERSE "(Reciprocal(" RMS_ROOT ") | Div(1, " RMS_ROOT ") | Pow(" SQUARE ", -0.5))"

std::optional<RmsNormMatch> find_rms_norm(Node& mul, Rewriter& rw) {
  static const Pattern kPattern("Mul(Cast?((Div(z, " RMS_ROOT ") | Mul(z, " RMS_INVERSE "))), scale)");
  const auto match = kPattern.find(mul, rw);
  const auto axis = match ? trailing_axis(*match->node("v"), rw) : std::nullopt;
  if (!axis || !(match->number("epsilon") >= 0)) return std::nullopt;
  // In a float16 model, skip the Casts around this part.
  Value *x = (*match)["z"], *scale = (*match)["scale"];
  const ElementType type = rw.element_of(mul.output()), inside = rw.element_of(x);
  if (Node* cast = rw.producer(x, "Cast"); cast && inside != type) x = cast->input(0);
  if (rw.element_of(x) != type || rw.element_of(scale) != type) return std::nullopt;
  if (inside != type && inside != ElementType::kFloat) return std::nullopt;
  scale = in_trailing_shape(scale, x, *axis, rw);
  if (!scale) return std::nullopt;
  return RmsNormMatch{x, scale, *axis, match->number("epsilon"), match->nodes()};
}

}  // namespace onnxpress::passes
