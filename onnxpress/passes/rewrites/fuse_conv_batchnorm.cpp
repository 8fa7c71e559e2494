// Folds an inference-time BatchNormalization into the Conv that feeds it.
//
//   before: c = Conv(x, w, b)
//           y = BatchNormalization(c, scale, bias, mean, var)
//   after:  y = Conv(x, w1, b1)
//
// Both are affine per output channel, so with k = scale / sqrt(var + epsilon): w1 = w * k and b1 = (b - mean) * k +
// bias. Needs every parameter constant, and c used by nothing else (the Conv changes its meaning).
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// [channels, 1, ...], which Mul broadcasts over a weight of that shape.
std::vector<std::int64_t> leading_axis(std::size_t rank) {
  std::vector<std::int64_t> dims(rank, 1);
  dims.front() = -1;
  return dims;
}

bool apply(Node& bn, Rewriter& rw) {
  const auto params = rw.params(bn);
  Node* conv = rw.sole_producer(bn.input(0), "Conv");
  if (!conv || params.flag("training_mode") || params.integer_or("spatial", 1) == 0) return false;
  Value *w = conv->input(1), *b = conv->input(2);
  Value *scale = bn.input(1), *bias = bn.input(2), *mean = bn.input(3), *var = bn.input(4);
  if (!rw.all_constant({w, scale, bias, mean, var}) || (b && !rw.is_constant(b))) return false;
  const auto shape = rw.shape_of(w);
  if (!shape || shape->size() < 3 || rw.element_of(w) != rw.element_of(var)) return false;

  if (!b) b = rw.scalar_like(mean, 0);
  Value* epsilon = rw.scalar_like(var, params.real_or("epsilon", 1e-5));
  Value* k = rw.make("Div", {scale, rw.make("Sqrt", {rw.make("Add", {var, epsilon})})});
  Value* weight = rw.make("Mul", {w, rw.reshaped(k, leading_axis(shape->size()))});
  Value* shift = rw.make("Add", {rw.make("Mul", {rw.make("Sub", {b, mean}), k}), bias});
  // One number per output channel, and nothing left to compute at run time.
  if (!rw.all_constant({weight, shift}) || rw.shape_of(weight) != shape) return false;
  if (rw.shape_of(shift) != ops::Shape{shape->front()}) return false;
  if (!rw.replace(bn, conv->output())) return false;
  return rw.set_input(*conv, 1, weight) && rw.set_input(*conv, 2, shift);
}

constexpr std::string_view kRoots[] = {"BatchNormalization"};

}  // namespace

extern const Rewrite fuse_conv_batchnorm;
const Rewrite fuse_conv_batchnorm = {.name = "fuse-conv-batchnorm",
                                     .summary = "folds BatchNormalization into the Conv before it",
                                     .exactness = Exactness::kReassociates,
                                     .group = "fusion",
                                     .roots = kRoots,
                                     .apply = apply};

}  // namespace onnxpress::passes
