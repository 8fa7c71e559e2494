// The patterns of Gelu, HardSigmoid and HardSwish, and the questions about constants of activations.
#include "onnxpress/passes/shared/activations.h"

#include <cmath>

#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

#define CLIPPED "c = Clip(Add(x, 3))"
#define SIXTH "0.16666666666666667"

bool clips_to_six(const Node& clip, const Rewriter& rw) {
  const auto params = rw.params(clip);
  return params.real("min") == 0.0 && params.real("max") == 6.0;
}

// The node that alone reads the value; null if there are several, or if the value is an output.
Node* only_user(const Value* value) {
  const Use* use = value && !value->is_output() ? value->first_use() : nullptr;
  return use && !use->next() ? use->user() : nullptr;
}

}  // namespace

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

Value* find_hard_sigmoid(Node& node, const Rewriter& rw) {
  static const Pattern kPattern("(Div(" CLIPPED ", 6) | Mul(" CLIPPED ", " SIXTH "))");
  const auto match = kPattern.find(node, rw);
  return match && clips_to_six(*match->node("c"), rw) ? (*match)["x"] : nullptr;
}

Value* find_hard_swish(Node& node, const Rewriter& rw) {
  static const Pattern kSigmoid("Mul(x, h = HardSigmoid(x))");
  static const Pattern kClip("(Div(Mul(x, " CLIPPED "), 6) | Mul(Mul(x, " CLIPPED "), " SIXTH
                             ") | Mul(Div(x, 6), " CLIPPED ") | Mul(Mul(x, " SIXTH "), " CLIPPED "))");
  if (const auto match = kSigmoid.find(node, rw)) {
    const auto params = rw.params(*match->node("h"));
    const bool fits = std::abs(params.real_or("alpha", 0.2) * 6 - 1) <= 1e-6 && params.real_or("beta", 0.5) == 0.5;
    return fits ? (*match)["x"] : nullptr;
  }
  const auto match = kClip.find(node, rw);
  return match && clips_to_six(*match->node("c"), rw) ? (*match)["x"] : nullptr;
}

bool ends_activation(Node& node, const Rewriter& rw) {
  if (!node.is("Mul") && !node.is("Div")) return false;
  if (find_gelu(node, rw) || find_hard_sigmoid(node, rw)) return true;
  return rw.ops().op_named("", "HardSwish", *node.graph()) && find_hard_swish(node, rw);
}

bool begins_activation(const Node& node, const Rewriter& rw) {
  if (!node.is("Add")) return false;
  const Node* clip = only_user(node.output());
  Node* last = clip && clip->is("Clip") ? only_user(clip->output()) : nullptr;
  return last && find_hard_sigmoid(*last, rw);
}

}  // namespace onnxpress::passes
