// Scales the weights of a Gemm or MatMul instead of its result, and adds constants to the bias of a Gemm.
//
//   before: y = Mul(MatMul(x, w), c)   or Mul or Add of Gemm; with c of [N] or one element
//   after:  y = MatMul(x, w * c)
//
// Nothing else may read the weights and the product; c runs along the columns. The Add of a HardSigmoid stays there.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/activations.h"

namespace onnxpress::passes {

namespace {

// A constant with one number for each column, or one for all, as a scalar or a list. Null if it has another shape.
Value* along_columns(Value* c, const Value* product, Rewriter& rw) {
  const auto shape = rw.shape_of(c), result = rw.shape_of(product);
  if (!rw.is_constant(c) || !shape || !result || shape->size() > result->size()) return nullptr;
  for (std::size_t i = 0; i + 1 < shape->size(); ++i) {
    if ((*shape)[i].size() != 1) return nullptr;
  }
  const bool fits = shape->empty() || shape->back().size() == 1 || shape->back() == result->back();
  return !fits ? nullptr : shape->size() > 1 ? rw.reshaped(c, {-1}) : c;
}

bool fold_into_gemm(Node& node, Node& gemm, Value* c, Rewriter& rw) {
  const auto own = rw.params(gemm);
  Value *w = gemm.input(1), *bias = gemm.input(2);
  if ((bias && !rw.is_constant(bias)) || rw.element_of(w) != rw.element_of(c)) return false;
  if (bias) bias = rw.make("Mul", {bias, rw.scalar_like(bias, own.real_or("beta", 1))});
  if (node.is("Add")) {
    bias = bias ? rw.make("Add", {bias, c}) : c;
  } else {
    w = rw.make("Mul", {w, own.flag("transB") ? rw.reshaped(c, {-1, 1}) : c});
    if (bias) bias = rw.make("Mul", {bias, c});
    if (!rw.is_constant(w) || !rw.same_shape(w, gemm.input(1))) return false;
  }
  if (bias && (!rw.is_constant(bias) || rw.shape_of(bias)->size() > 2)) return false;
  return rw.replace(node, rw.make("Gemm", {gemm.input(0), w, bias},
                                  {{"alpha", own.real_or("alpha", 1)},
                                   {"transA", own.flag("transA") ? 1 : 0},
                                   {"transB", own.flag("transB") ? 1 : 0}}));
}

bool apply_fuse_gemm_mul(Node& node, Rewriter& rw) {
  if (!node.attributes().empty() || begins_activation(node, rw)) return false;  // attributes: old broadcasting rules
  for (const std::size_t side : {0, 1}) {
    Node* gemm = rw.sole_producer(node.input(side), "Gemm");
    Node* product = gemm || node.is("Add") ? gemm : rw.sole_producer(node.input(side), "MatMul");
    if (!product || !rw.same_shape(product->output(), node.output())) continue;
    Value* w = product->input(1);
    const auto shape = rw.shape_of(w);
    if (!shape || shape->size() != 2 || !rw.is_constant(w) || w->use_count() != 1) continue;
    Value* c = along_columns(node.input(1 - side), product->output(), rw);
    if (!c || rw.element_of(c) != rw.element_of(w)) continue;
    if (gemm) return fold_into_gemm(node, *gemm, c, rw);
    Value* weights = rw.make("Mul", {w, c});
    if (!rw.is_constant(weights) || !rw.same_shape(weights, w)) continue;
    return rw.replace(node, rw.make("MatMul", {product->input(0), weights}));
  }
  return false;
}

constexpr std::string_view kFuseGemmMulRoots[] = {"Mul", "Add"};

}  // namespace

extern const Rewrite fuse_gemm_mul;
const Rewrite fuse_gemm_mul = {.name = "fuse-gemm-mul",
                               .summary = "scales the weights of a Gemm or MatMul instead of its result",
                               .exactness = Exactness::kReassociates,
                               .group = "layers",
                               .large_pattern = true,
                               .roots = kFuseGemmMulRoots,
                               .apply = apply_fuse_gemm_mul};

}  // namespace onnxpress::passes
