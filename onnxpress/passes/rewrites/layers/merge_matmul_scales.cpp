// Scales one operand of a MatMul instead of both.
//
//   before: y = MatMul(Mul(a, 0.5), Mul(b, 0.5))   as attention in PyTorch writes it; or Div
//   after:  y = MatMul(Mul(a, 0.25), b)
//
// Both factors must be constants of one element that add no axes, and nothing else may read the scaled values. The last
// factor of a Gelu stays there.
#include <cmath>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/activations.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_matmul_scales(Node& node, Rewriter& rw) {
  static const Pattern kPattern("MatMul((Mul(a, #k) | Div(a, #m)), (Mul(b, #l) | Div(b, #n)))");
  const auto match = kPattern.find(node, rw);
  if (!match || ends_activation(*node.input(0)->producer(), rw) || ends_activation(*node.input(1)->producer(), rw))
    return false;
  const auto factor = [&](std::string_view times, std::string_view over) {
    return match->has_number(times) ? match->number(times) : 1 / match->number(over);
  };
  const double scale = factor("k", "m") * factor("l", "n");
  Value *a = (*match)["a"], *b = (*match)["b"];
  if (!is_float(rw.element_of(a)) || !std::isnormal(scale)) return false;
  return rw.replace(node, rw.make("MatMul", {rw.make("Mul", {a, rw.scalar_like(a, scale)}), b}));
}

constexpr std::string_view kMergeMatmulScalesRoots[] = {"MatMul"};

}  // namespace

extern const Rewrite merge_matmul_scales;
const Rewrite merge_matmul_scales = {.name = "merge-matmul-scales",
                                     .summary = "scales one operand of a MatMul instead of both",
                                     .exactness = Exactness::kReassociates,
                                     .group = "layers",
                                     .roots = kMergeMatmulScalesRoots,
                                     .apply = apply_merge_matmul_scales};

}  // namespace onnxpress::passes
