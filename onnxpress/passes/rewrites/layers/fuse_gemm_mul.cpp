// Scales the weights of a Gemm or MatMul instead of its result, and adds constants to the bias of a Gemm.
//
//   before: y = Mul(MatMul(x, w), c)           or Mul or Add of Gemm; with c of [N] or one element
//   after:  y = MatMul(x, w * c)
//
//   before: y = Mul(Add(MatMul(x, w), b), c)   as layer scales and the queries of attention are written
//   after:  y = Add(MatMul(x, w * c), b * c)
//
// A Reshape in between stays, if it keeps the last axis. Nothing else may read the weights and the values in between; c
// runs along the columns. The Add of a HardSigmoid stays there.
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

// The Gemm with c multiplied or added; null if that is not possible.
Value* folded_into_gemm(const Node& node, const Node& gemm, Value* c, Rewriter& rw) {
  const auto own = rw.params(gemm);
  Value *w = gemm.input(1), *bias = gemm.input(2);
  if (bias && !rw.is_constant(bias)) return nullptr;
  if (bias) bias = rw.make("Mul", {bias, rw.scalar_like(bias, own.real_or("beta", 1))});
  if (node.is("Add")) {
    bias = bias ? rw.make("Add", {bias, c}) : c;
  } else {
    w = rw.make("Mul", {w, own.flag("transB") ? rw.reshaped(c, {-1, 1}) : c});
    if (bias) bias = rw.make("Mul", {bias, c});
    if (!rw.is_constant(w) || !rw.same_shape(w, gemm.input(1))) return nullptr;
  }
  if (bias && (!rw.is_constant(bias) || rw.shape_of(bias)->size() > 2)) return nullptr;
  return rw.make("Gemm", {gemm.input(0), w, bias},
                 {{"alpha", own.real_or("alpha", 1)},
                  {"transA", own.flag("transA") ? 1 : 0},
                  {"transB", own.flag("transB") ? 1 : 0}});
}

bool has_weights_of_its_own(const Node& product, const Value* c, Rewriter& rw) {
  const Value* w = product.input(1);
  const auto shape = rw.shape_of(w);
  return shape && shape->size() == 2 && rw.is_constant(w) && w->use_count() == 1 &&
         rw.element_of(c) == rw.element_of(w);
}

Value* scaled_matmul(const Node& product, Value* c, Rewriter& rw) {
  if (!has_weights_of_its_own(product, c, rw)) return nullptr;
  Value* weights = rw.make("Mul", {product.input(1), c});
  if (!rw.is_constant(weights) || !rw.same_shape(weights, product.input(1))) return nullptr;
  return rw.make("MatMul", {product.input(0), weights});
}

// Add(MatMul(x, w * c), b * c) for Add(MatMul(x, w), b) with a constant b.
Value* scaled_sum(const Node& add, Value* c, Rewriter& rw) {
  if (!add.attributes().empty()) return nullptr;
  for (const std::size_t side : {0, 1}) {
    const Node* product = rw.sole_producer(add.input(side), "MatMul");
    if (!product || !rw.same_shape(product->output(), add.output())) continue;
    Value* bias = along_columns(add.input(1 - side), product->output(), rw);
    if (!bias || rw.element_of(bias) != rw.element_of(c)) continue;
    Value* both = rw.make("Mul", {bias, c});
    if (!rw.is_constant(both)) continue;
    return rw.make("Add", {scaled_matmul(*product, c, rw), both});
  }
  return nullptr;
}

// What computes `value`, multiplied by c, or with c added; null if that takes more than changing weights.
Value* folded_into(const Node& node, const Value* value, Value* c, Rewriter& rw) {
  if (const Node* gemm = rw.sole_producer(value, "Gemm"))
    return has_weights_of_its_own(*gemm, c, rw) ? folded_into_gemm(node, *gemm, c, rw) : nullptr;
  if (node.is("Add")) return nullptr;
  if (const Node* product = rw.sole_producer(value, "MatMul")) return scaled_matmul(*product, c, rw);
  const Node* add = rw.sole_producer(value, "Add");
  return add ? scaled_sum(*add, c, rw) : nullptr;
}

// A Reshape whose result, `value`, has the same last axis as its operand, of a known size.
Node* keeps_last_axis(const Value* value, Rewriter& rw) {
  Node* view = rw.sole_producer(value, "Reshape");
  const auto before = view ? rw.shape_of(view->input(0)) : std::nullopt, after = rw.shape_of(value);
  const bool is_kept = before && after && !before->empty() && !after->empty() && before->back().is_size() &&
                       before->back() == after->back();
  return is_kept ? view : nullptr;
}

bool apply_fuse_gemm_mul(Node& node, Rewriter& rw) {
  if (!node.attributes().empty() || begins_activation(node, rw)) return false;  // attributes: old broadcasting rules
  for (const std::size_t side : {0, 1}) {
    const Value* value = node.input(side);
    Value* c = rw.same_shape(value, node.output()) ? along_columns(node.input(1 - side), value, rw) : nullptr;
    if (!c) continue;
    Node* view = keeps_last_axis(value, rw);
    Value* made = folded_into(node, view ? view->input(0) : value, c, rw);
    if (!made) continue;
    if (!view) return rw.replace(node, made);
    return rw.set_input(*view, 0, made) && rw.replace(node, view->output());
  }
  return false;
}

constexpr std::string_view kFuseGemmMulRoots[] = {"Mul", "Add"};

}  // namespace

extern const Rewrite fuse_gemm_mul;
const Rewrite fuse_gemm_mul = {.name = "fuse-gemm-mul",
                               .summary = "scales weights and bias of a Gemm or MatMul instead of the result",
                               .exactness = Exactness::kReassociates,
                               .group = "layers",
                               .large_pattern = true,
                               .roots = kFuseGemmMulRoots,
                               .apply = apply_fuse_gemm_mul};

}  // namespace onnxpress::passes
