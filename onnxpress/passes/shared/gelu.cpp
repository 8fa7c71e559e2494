// The patterns of Gelu.
#include "onnxpress/passes/shared/gelu.h"

#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

#define ERF "Add(Erf((Div(x, 1.4142135623730951) | Mul(x, 0.7071067811865476))), 1)"
#define CUBE "(Pow(x, 3) | Mul(x, Mul(x, x)) | Mul(x, Pow(x, 2)))"
#define INNER                                                                    \
  "(Mul(Add(x, Mul(" CUBE                                                        \
  ", 0.044715)), 0.7978845608) | "                                               \
  "Mul(Mul(x, 0.7978845608), Add(Mul((Mul(x, x) | Pow(x, 2)), 0.044715), 1)) | " \
  "Mul(Mul(x, 0.7978845608), Add(Mul(Mul(x, 0.044715), x), 1)) | "               \
  "Mul(x, Mul(Add(Mul((Mul(x, x) | Pow(x, 2)), 0.044715), 1), 0.7978845608)))"
#define TANH "Add(Tanh(" INNER "), 1)"
// x / 2 times the other factor, with the multiplications in every order.
#define HALVED(factor)                                                                \
  "(Mul(Mul(x, 0.5), " factor ") | Mul(Mul(x, " factor "), 0.5) | Mul(x, Mul(" factor \
  ", 0.5)) | "                                                                        \
  "Div(Mul(x, " factor "), 2) | Mul(Div(x, 2), " factor ") | Mul(x, Div(" factor ", 2)))"

std::optional<GeluMatch> find_gelu(Node& node, const Rewriter& rw) {
  static const Pattern kErf(HALVED(ERF)), kTanh(HALVED(TANH));
  if (const auto exact = kErf.find(node, rw)) return GeluMatch{(*exact)["x"], false};
  if (const auto match = kTanh.find(node, rw)) return GeluMatch{(*match)["x"], true};
  return std::nullopt;
}

}  // namespace onnxpress::passes
