// Folds an inference-time BatchNormalization into the Conv or ConvTranspose that feeds it.
//
//   before: c = Conv(x, w, b)
//           y = BatchNormalization(c, scale, bias, mean, var)
//   after:  y = Conv(x, w1, b1)
//
// Both are affine per output channel, so with k = scale / sqrt(var + epsilon): w1 = w * k and b1 = (b - mean) * k +
// bias. Needs every parameter constant, and c used by nothing else (the Conv changes its meaning).
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/batchnorm.h"
#include "onnxpress/passes/shared/conv_channels.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_conv_batchnorm(Node& bn, Rewriter& rw) {
  Node* conv = own_conv(bn.input(0), rw);
  if (!conv || rw.element_of(conv->input(1)) != rw.element_of(bn.input(4))) return false;
  const auto affine = affine_of(bn, conv->input(2), rw);
  Value* weights = affine ? scaled_weights(*conv, affine->factor, rw) : nullptr;
  // The new bias must have one number per output channel.
  if (!weights || rw.shape_of(affine->shift) != ops::Shape{Dim::size(*output_channels(*conv, rw))}) return false;
  if (!rw.replace(bn, conv->output())) return false;
  return rw.set_input(*conv, 1, weights) && rw.set_input(*conv, 2, affine->shift);
}

constexpr std::string_view kFuseConvBatchnormRoots[] = {"BatchNormalization"};

}  // namespace

extern const Rewrite fuse_conv_batchnorm;
const Rewrite fuse_conv_batchnorm = {.name = "fuse-conv-batchnorm",
                                     .summary = "folds BatchNormalization into the Conv before it",
                                     .exactness = Exactness::kReassociates,
                                     .group = "layers",
                                     .large_pattern = true,
                                     .roots = kFuseConvBatchnormRoots,
                                     .apply = apply_fuse_conv_batchnorm};

}  // namespace onnxpress::passes
