// Fuses the nodes that compute RMSNormalization, if the opset has it.
//
//   before: y = Mul(Div(x, Sqrt(Add(ReduceMean(Pow(x, 2)), epsilon))), scale)
//   after:  y = RMSNormalization(x, scale, epsilon)
//
// The mean must keep its axes and run over the last ones, and the scale must have exactly their shape. Casts to float
// around the statistics of a float16 model are removed, because RMSNormalization computes them in float anyway.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/blocks/rms_norm.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_rms_norm(Node& node, Rewriter& rw) {
  const auto found = find_rms_norm(node, rw);
  return found && rw.replace(node, rw.make("RMSNormalization", {found->x, found->scale},
                                           {{"axis", found->axis}, {"epsilon", found->epsilon}}));
}

constexpr std::string_view kFuseRmsNormRoots[] = {"Mul"};

}  // namespace

extern const Rewrite fuse_rms_norm;
const Rewrite fuse_rms_norm = {.name = "fuse-rms-norm",
                               .summary = "fuses the nodes that compute RMSNormalization",
                               .exactness = Exactness::kReassociates,
                               .group = "blocks",
                               .large_pattern = true,
                               .roots = kFuseRmsNormRoots,
                               .apply = apply_fuse_rms_norm};

}  // namespace onnxpress::passes
