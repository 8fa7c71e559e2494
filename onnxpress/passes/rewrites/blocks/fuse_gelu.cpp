// Fuses the nodes that compute Gelu, if the opset has it.
//
//   before: y = Mul(Mul(x, 0.5), Add(Erf(Div(x, 1.4142135)), 1))   and other orders; or with Tanh, the approximation
//   after:  y = Gelu(x)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/activations.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_gelu(Node& node, Rewriter& rw) {
  const auto found = find_gelu(node, rw);
  if (!found) return false;
  return rw.replace(node,
                    found->tanh ? rw.make("Gelu", {found->x}, {{"approximate", "tanh"}}) : rw.make("Gelu", {found->x}));
}

constexpr std::string_view kFuseGeluRoots[] = {"Mul", "Div"};

}  // namespace

extern const Rewrite fuse_gelu;
const Rewrite fuse_gelu = {.name = "fuse-gelu",
                           .summary = "fuses the nodes that compute Gelu",
                           .exactness = Exactness::kReassociates,
                           .group = "blocks",
                           .large_pattern = true,
                           .roots = kFuseGeluRoots,
                           .apply = apply_fuse_gelu};

}  // namespace onnxpress::passes
