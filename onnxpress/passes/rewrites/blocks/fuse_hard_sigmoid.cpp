// Fuses the nodes that compute HardSigmoid.
//
//   before: y = Div(Clip(Add(x, 3), 0, 6), 6)   or Mul by 1/6
//   after:  y = HardSigmoid(x, alpha = 1/6, beta = 0.5)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/activations.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_hard_sigmoid(Node& node, Rewriter& rw) {
  if (rw.element_of(node.output()) == ElementType::kDouble) return false;  // ONNX Runtime has no kernel for double
  Value* x = find_hard_sigmoid(node, rw);
  return x && rw.replace(node, rw.make("HardSigmoid", {x}, {{"alpha", 1.0 / 6}, {"beta", 0.5}}));
}

constexpr std::string_view kFuseHardSigmoidRoots[] = {"Div", "Mul"};

}  // namespace

extern const Rewrite fuse_hard_sigmoid;
const Rewrite fuse_hard_sigmoid = {.name = "fuse-hard-sigmoid",
                                   .summary = "fuses Add, Clip and Div into HardSigmoid",
                                   .exactness = Exactness::kReassociates,
                                   .group = "blocks",
                                   .large_pattern = true,
                                   .roots = kFuseHardSigmoidRoots,
                                   .apply = apply_fuse_hard_sigmoid};

}  // namespace onnxpress::passes
