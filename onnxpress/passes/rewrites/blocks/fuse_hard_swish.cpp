// Fuses the nodes that compute HardSwish, if the opset has it.
//
//   before: y = Mul(x, HardSigmoid(x, alpha = 1/6, beta = 0.5))   or Div(Mul(x, Clip(Add(x, 3), 0, 6)), 6)
//   after:  y = HardSwish(x)
#include <cmath>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

#define CLIPPED "c = Clip(Add(x, 3))"
#define SIXTH "0.16666666666666667"

bool apply_fuse_hard_swish(Node& node, Rewriter& rw) {
  static const Pattern kSigmoid("Mul(x, h = HardSigmoid(x))");
  static const Pattern kClip("(Div(Mul(x, " CLIPPED "), 6) | Mul(Mul(x, " CLIPPED "), " SIXTH
                             ") | Mul(Div(x, 6), " CLIPPED ") | Mul(Mul(x, " SIXTH "), " CLIPPED "))");
  if (rw.element_of(node.output()) == ElementType::kDouble) return false;  // ONNX Runtime has no kernel for double
  if (const auto match = kSigmoid.find(node, rw)) {
    const auto params = rw.params(*match->node("h"));
    if (std::abs(params.real_or("alpha", 0.2) * 6 - 1) > 1e-6 || params.real_or("beta", 0.5) != 0.5) return false;
    return rw.replace(node, rw.make("HardSwish", {(*match)["x"]}));
  }
  const auto match = kClip.find(node, rw);
  if (!match) return false;
  const auto clip = rw.params(*match->node("c"));
  if (clip.real("min") != 0.0 || clip.real("max") != 6.0) return false;
  return rw.replace(node, rw.make("HardSwish", {(*match)["x"]}));
}

constexpr std::string_view kFuseHardSwishRoots[] = {"Div", "Mul"};

}  // namespace

extern const Rewrite fuse_hard_swish;
const Rewrite fuse_hard_swish = {.name = "fuse-hard-swish",
                                 .summary = "fuses the nodes that compute HardSwish",
                                 .exactness = Exactness::kReassociates,
                                 .group = "blocks",
                                 .large_pattern = true,
                                 .roots = kFuseHardSwishRoots,
                                 .apply = apply_fuse_hard_swish};

}  // namespace onnxpress::passes
