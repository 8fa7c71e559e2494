// The patterns of HardSigmoid and HardSwish, and the questions about constants of activations.
#include "onnxpress/passes/shared/activations.h"

#include <cmath>

#include "onnxpress/passes/shared/gelu.h"
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
