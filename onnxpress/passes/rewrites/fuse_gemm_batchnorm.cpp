// Folds an inference-time BatchNormalization into the Gemm or MatMul of matrices that feeds it.
//
//   before: y = BatchNormalization(Gemm(x, w, c), scale, bias, mean, var)
//   after:  y = Gemm(x, w * k, (c - mean) * k + bias)   with k = scale / sqrt(var + epsilon)
//
// Only for results of two dims: there, the columns are the channels. Needs every parameter constant, and the product
// used by nothing else.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_gemm_batchnorm(Node& bn, Rewriter& rw) {
  const auto params = rw.params(bn);
  Node* product = rw.sole_producer(bn.input(0), "Gemm");
  const bool is_gemm = product != nullptr;
  if (!product) product = rw.sole_producer(bn.input(0), "MatMul");
  if (!product || params.flag("training_mode") || params.integer_or("spatial", 1) == 0) return false;
  Value *w = product->input(1), *c = product->input(2);
  const auto left = rw.shape_of(product->input(0)), right = rw.shape_of(w);
  if (!left || !right || left->size() != 2 || right->size() != 2 || !rw.is_constant(w) || w->use_count() != 1)
    return false;
  Value *scale = bn.input(1), *bias = bn.input(2), *mean = bn.input(3), *var = bn.input(4);
  if (!rw.all_constant({scale, bias, mean, var}) || (c && !rw.is_constant(c)) || rw.element_of(w) != rw.element_of(var))
    return false;

  if (rw.ops().op_named("", "Gemm", *bn.graph())->schema->attribute("broadcast")) return false;
  const auto own = rw.params(*product);
  const bool turned = is_gemm && own.flag("transB");
  const double alpha = is_gemm ? own.real_or("alpha", 1) : 1, beta = is_gemm ? own.real_or("beta", 1) : 1;
  Value* shift = c ? rw.make("Mul", {c, rw.scalar_like(c, beta)}) : rw.scalar_like(mean, 0);
  Value* epsilon = rw.scalar_like(var, params.real_or("epsilon", 1e-5));
  Value* k = rw.make("Div", {scale, rw.make("Sqrt", {rw.make("Add", {var, epsilon})})});
  Value* weights = rw.make("Mul", {w, turned ? rw.reshaped(k, {-1, 1}) : k});
  shift = rw.make("Add", {rw.make("Mul", {rw.make("Sub", {shift, mean}), k}), bias});
  if (!rw.all_constant({weights, shift}) || !rw.same_shape(weights, w)) return false;
  return rw.replace(
      bn, rw.make("Gemm", {product->input(0), weights, shift},
                  {{"alpha", alpha}, {"transA", is_gemm && own.flag("transA") ? 1 : 0}, {"transB", turned ? 1 : 0}}));
}

constexpr std::string_view kFuseGemmBatchnormRoots[] = {"BatchNormalization"};

}  // namespace

extern const Rewrite fuse_gemm_batchnorm;
const Rewrite fuse_gemm_batchnorm = {.name = "fuse-gemm-batchnorm",
                                     .summary = "folds BatchNormalization into the Gemm or MatMul before it",
                                     .exactness = Exactness::kReassociates,
                                     .group = "fusion",
                                     .roots = kFuseGemmBatchnormRoots,
                                     .apply = apply_fuse_gemm_batchnorm};

}  // namespace onnxpress::passes
