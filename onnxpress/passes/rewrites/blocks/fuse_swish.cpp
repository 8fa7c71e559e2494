// Fuses the nodes that compute Swish, if the opset has it.
//
//   before: y = Mul(x, Sigmoid(x))   or Mul(x, Sigmoid(Mul(x, alpha)))
//   after:  y = Swish(x, alpha)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_swish(Node& node, Rewriter& rw) {
  static const Pattern kPlain("Mul(x, Sigmoid(x))"), kScaled("Mul(x, Sigmoid(Mul(x, #alpha)))");
  if (const auto match = kPlain.find(node, rw)) return rw.replace(node, rw.make("Swish", {(*match)["x"]}));
  const auto match = kScaled.find(node, rw);
  return match && rw.replace(node, rw.make("Swish", {(*match)["x"]}, {{"alpha", match->number("alpha")}}));
}

constexpr std::string_view kFuseSwishRoots[] = {"Mul"};

}  // namespace

extern const Rewrite fuse_swish;
const Rewrite fuse_swish = {.name = "fuse-swish",
                            .summary = "fuses Sigmoid and Mul into Swish",
                            .exactness = Exactness::kReassociates,
                            .group = "blocks",
                            .large_pattern = true,
                            .roots = kFuseSwishRoots,
                            .apply = apply_fuse_swish};

}  // namespace onnxpress::passes
