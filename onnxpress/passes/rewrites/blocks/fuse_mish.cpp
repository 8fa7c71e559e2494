// Fuses the nodes that compute Mish, if the opset has it.
//
//   before: y = Mul(x, Tanh(Softplus(x)))
//   after:  y = Mish(x)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_mish(Node& node, Rewriter& rw) {
  static const Pattern kPattern("Mul(x, Tanh(Softplus(x)))");
  const auto match = kPattern.find(node, rw);
  return match && rw.replace(node, rw.make("Mish", {(*match)["x"]}));
}

constexpr std::string_view kFuseMishRoots[] = {"Mul"};

}  // namespace

extern const Rewrite fuse_mish;
const Rewrite fuse_mish = {.name = "fuse-mish",
                           .summary = "fuses Softplus, Tanh and Mul into Mish",
                           .exactness = Exactness::kReassociates,
                           .group = "blocks",
                           .large_pattern = true,
                           .roots = kFuseMishRoots,
                           .apply = apply_fuse_mish};

}  // namespace onnxpress::passes
