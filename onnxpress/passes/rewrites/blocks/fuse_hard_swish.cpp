// Fuses the nodes that compute HardSwish, if the opset has it.
//
//   before: y = Mul(x, HardSigmoid(x, alpha = 1/6, beta = 0.5))   or Div(Mul(x, Clip(Add(x, 3), 0, 6)), 6)
//   after:  y = HardSwish(x)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/activations.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_hard_swish(Node& node, Rewriter& rw) {
  if (rw.element_of(node.output()) == ElementType::kDouble)
    return rw.refuse("ONNX Runtime has no HardSwish for double");
  Value* x = find_hard_swish(node, rw);
  return x && rw.replace(node, rw.make("HardSwish", {x}));
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
