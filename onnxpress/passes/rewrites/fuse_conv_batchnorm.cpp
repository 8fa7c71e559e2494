// Folds an inference-time BatchNormalization into the Conv or ConvTranspose that feeds it.
//
//   before: c = Conv(x, w, b)
//           y = BatchNormalization(c, scale, bias, mean, var)
//   after:  y = Conv(x, w1, b1)
//
// Both are affine per output channel, so with k = scale / sqrt(var + epsilon): w1 = w * k and b1 = (b - mean) * k +
// bias. Needs every parameter constant, and c used by nothing else (the Conv changes its meaning).
#include "onnxpress/passes/conv_channels.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_conv_batchnorm(Node& bn, Rewriter& rw) {
  const auto params = rw.params(bn);
  Node* conv = own_conv(bn.input(0), rw);
  if (!conv || params.flag("training_mode") || params.integer_or("spatial", 1) == 0) return false;
  Value *scale = bn.input(1), *bias = bn.input(2), *mean = bn.input(3), *var = bn.input(4);
  if (!rw.all_constant({scale, bias, mean, var})) return false;
  if (rw.element_of(conv->input(1)) != rw.element_of(var)) return false;

  // In double, rounded once at the end.
  const auto cast = [&](Value* value, ElementType to) {
    return rw.make("Cast", {value}, {{"to", static_cast<std::int64_t>(to)}});
  };
  const auto wide = [&](Value* value) { return cast(value, ElementType::kDouble); };
  const ElementType type = rw.element_of(var);
  Value* b = conv->input(2) ? wide(conv->input(2)) : rw.scalar(ElementType::kDouble, 0);
  Value* epsilon = rw.scalar(ElementType::kDouble, params.real_or("epsilon", 1e-5));
  Value* k = rw.make("Div", {wide(scale), rw.make("Sqrt", {rw.make("Add", {wide(var), epsilon})})});
  Value* weights = scaled_weights(*conv, cast(k, type), rw);
  Value* shift = rw.make("Add", {rw.make("Mul", {rw.make("Sub", {b, wide(mean)}), k}), wide(bias)});
  shift = cast(shift, type);
  // One number per output channel, and nothing left to compute at run time.
  if (!weights || !rw.is_constant(shift)) return false;
  if (rw.shape_of(shift) != ops::Shape{Dim::size(*output_channels(*conv, rw))}) return false;
  if (!rw.replace(bn, conv->output())) return false;
  return rw.set_input(*conv, 1, weights) && rw.set_input(*conv, 2, shift);
}

constexpr std::string_view kFuseConvBatchnormRoots[] = {"BatchNormalization"};

}  // namespace

extern const Rewrite fuse_conv_batchnorm;
const Rewrite fuse_conv_batchnorm = {.name = "fuse-conv-batchnorm",
                                     .summary = "folds BatchNormalization into the Conv before it",
                                     .exactness = Exactness::kReassociates,
                                     .group = "fusion",
                                     .roots = kFuseConvBatchnormRoots,
                                     .apply = apply_fuse_conv_batchnorm};

}  // namespace onnxpress::passes
