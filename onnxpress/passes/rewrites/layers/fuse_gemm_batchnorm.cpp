// Folds an inference-time BatchNormalization into the Gemm or MatMul of matrices that feeds it.
//
//   before: y = BatchNormalization(Gemm(x, w, c), scale, bias, mean, var)
//   after:  y = Gemm(x, w * k, (c - mean) * k + bias)   with k = scale / sqrt(var + epsilon)
//
// Only for results of two dims, whose columns are the channels. All parameters must be constant, and nothing else may
// read the product.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/batchnorm.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_gemm_batchnorm(Node& bn, Rewriter& rw) {
  Node* product = rw.sole_producer(bn.input(0), "Gemm");
  const bool is_gemm = product != nullptr;
  if (!product) product = rw.sole_producer(bn.input(0), "MatMul");
  if (!product) return false;
  Value *w = product->input(1), *c = product->input(2);
  const auto left = rw.shape_of(product->input(0)), right = rw.shape_of(w);
  if (!left || !right || left->size() != 2 || right->size() != 2 || !rw.is_constant(w) || w->use_count() != 1)
    return false;
  if ((c && !rw.is_constant(c)) || rw.element_of(w) != rw.element_of(bn.input(4))) return false;
  if (rw.ops().op_named("", "Gemm", *bn.graph())->schema->attribute("broadcast")) return false;
  const auto own = rw.params(*product);
  const bool turned = is_gemm && own.flag("transB");
  const double alpha = is_gemm ? own.real_or("alpha", 1) : 1, beta = is_gemm ? own.real_or("beta", 1) : 1;
  const auto affine = affine_of(bn, c ? rw.make("Mul", {c, rw.scalar_like(c, beta)}) : nullptr, rw);
  if (!affine) return false;
  Value* weights = rw.make("Mul", {w, turned ? rw.reshaped(affine->factor, {-1, 1}) : affine->factor});
  if (!rw.is_constant(weights) || !rw.same_shape(weights, w)) return false;
  return rw.replace(
      bn, rw.make("Gemm", {product->input(0), weights, affine->shift},
                  {{"alpha", alpha}, {"transA", is_gemm && own.flag("transA") ? 1 : 0}, {"transB", turned ? 1 : 0}}));
}

constexpr std::string_view kFuseGemmBatchnormRoots[] = {"BatchNormalization"};

}  // namespace

extern const Rewrite fuse_gemm_batchnorm;
const Rewrite fuse_gemm_batchnorm = {.name = "fuse-gemm-batchnorm",
                                     .summary = "folds BatchNormalization into the Gemm or MatMul before it",
                                     .exactness = Exactness::kReassociates,
                                     .group = "layers",
                                     .large_pattern = true,
                                     .roots = kFuseGemmBatchnormRoots,
                                     .apply = apply_fuse_gemm_batchnorm};

}  // namespace onnxpress::passes
