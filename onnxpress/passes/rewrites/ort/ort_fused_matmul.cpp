// Merges Transposes of the operands and the result, and a scale of the result, into FusedMatMul.
//
//   before: y = Mul(MatMul(x, Transpose(w)), 0.125)   or Transpose(MatMul(x, w))
//   after:  y = com.microsoft.FusedMatMul(x, w, transB = 1, alpha = 0.125)   or FusedMatMul(w, x, transA = 1, transB =
//   1)
//
// A Transpose of an operand must swap the last two axes, or move the first axis behind the batch axes (transBatchA), or
// both. A Transpose of the result must swap its last two axes.
#include <algorithm>

#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

namespace {

struct FusedOperand {
  Value* value = nullptr;
  bool swapped = false;  // transA, transB: the last two axes
  bool batched = false;  // transBatchA, transBatchB: before that, the first axis moves behind the batch axes
};

struct FusedProduct {
  FusedOperand a, b;
  double alpha = 1;
};

std::optional<FusedProduct> product_of(const Node* node, const Rewriter& rw) {
  if (!node || !rw.op_of(*node) || node->input_count() != 2) return std::nullopt;
  if (node->is("MatMul")) return FusedProduct{{node->input(0)}, {node->input(1)}};
  if (node->domain() != kOrtDomain || node->op_type() != "FusedMatMul") return std::nullopt;
  const auto params = rw.params(*node);
  return FusedProduct{{node->input(0), params.flag("transA"), params.flag("transBatchA")},
                      {node->input(1), params.flag("transB"), params.flag("transBatchB")},
                      params.real_or("alpha", 1)};
}

// The MatMul or FusedMatMul that computes the value for one reader; null if there is none.
Node* sole_product(const Value* value, const Rewriter& rw) {
  Node* product = rw.sole_producer(value, "MatMul");
  return product ? product : sole_ort_producer(value, "FusedMatMul");
}

Value* make_product(const FusedProduct& product, Rewriter& rw) {
  return make_ort("FusedMatMul", {product.a.value, product.b.value},
                  {{"transA", product.a.swapped ? 1 : 0},
                   {"transB", product.b.swapped ? 1 : 0},
                   {"transBatchA", product.a.batched ? 1 : 0},
                   {"transBatchB", product.b.batched ? 1 : 0},
                   {"alpha", product.alpha}},
                  rw);
}

// The order of axes in which the product reads an operand of this rank.
Permutation order_of(bool swapped, bool batched, std::size_t rank) {
  Permutation order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(i);
  if (batched) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (swapped) std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

// Reads what the operand is before it is transposed. False if the product cannot transpose it like that.
bool take_transpose(FusedOperand& operand, bool can_batch, const Rewriter& rw) {
  const Node* transpose = rw.sole_producer(operand.value, "Transpose");
  const auto perm = transpose ? perm_of(*transpose, rw) : std::nullopt;
  if (!perm || perm->size() < 2 || rw.is_constant(transpose->input(0))) return false;
  const Permutation wanted = composed(*perm, order_of(operand.swapped, operand.batched, perm->size()));
  for (const bool batched : {false, true}) {
    for (const bool swapped : {false, true}) {
      if (batched && (!can_batch || perm->size() < 3)) continue;
      if (order_of(swapped, batched, perm->size()) != wanted) continue;
      operand = {transpose->input(0), swapped, batched};
      return true;
    }
  }
  return false;
}

bool take_operands(Node& node, Rewriter& rw) {
  auto product = product_of(&node, rw);
  const auto a = product ? rw.shape_of(product->a.value) : std::nullopt,
             b = product ? rw.shape_of(product->b.value) : a;
  if (!a || !b) return false;
  const bool can_batch = a->size() == b->size();  // the kernel has no broadcasting for transposed batches
  const bool left = take_transpose(product->a, can_batch, rw), right = take_transpose(product->b, can_batch, rw);
  return (left || right) && rw.replace(node, make_product(*product, rw));
}

// The transposed product is the product of the transposed operands in the other order.
bool take_result(Node& transpose, Rewriter& rw) {
  auto product = product_of(sole_product(transpose.input(0), rw), rw);
  const auto a = product ? rw.shape_of(product->a.value) : std::nullopt,
             b = product ? rw.shape_of(product->b.value) : a;
  const auto perm = product ? perm_of(transpose, rw) : std::nullopt;
  if (!a || !b || a->size() < 2 || b->size() < 2 || !perm || *perm != order_of(true, false, perm->size())) return false;
  if (rw.is_constant(product->b.value)) return false;  // runtimes pack constant weights only on the right
  std::swap(product->a, product->b);
  product->a.swapped = !product->a.swapped;
  product->b.swapped = !product->b.swapped;
  return rw.replace(transpose, make_product(*product, rw));
}

bool take_scale(Node& scale, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    if (side == 1 && scale.is("Div")) continue;
    auto product = product_of(sole_product(scale.input(side), rw), rw);
    const Value* by = scale.input(1 - side);
    const auto array = product && rw.is_constant(by) ? rw.constant(by) : std::nullopt;
    const auto number = array ? array->number() : std::nullopt;
    if (!number || *number == 0 || !rw.same_shape(scale.input(side), scale.output())) continue;
    product->alpha = scale.is("Div") ? product->alpha / *number : product->alpha * *number;
    return rw.replace(scale, make_product(*product, rw));
  }
  return false;
}

bool apply_ort_fused_matmul(Node& node, Rewriter& rw) {
  if (!is_for_ort(node.output(), rw)) return false;
  if (node.is("Transpose")) return take_result(node, rw);
  return node.is("Mul") || node.is("Div") ? take_scale(node, rw) : take_operands(node, rw);
}

constexpr std::string_view kOrtFusedMatmulRoots[] = {"MatMul", "com.microsoft.FusedMatMul", "Mul", "Div", "Transpose"};

}  // namespace

extern const Rewrite ort_fused_matmul;
const Rewrite ort_fused_matmul = {.name = "ort-fused-matmul",
                                  .summary = "merges Transposes and a scale of a product into FusedMatMul",
                                  .exactness = Exactness::kReassociates,
                                  .group = "ort",
                                  .large_pattern = true,
                                  .roots = kOrtFusedMatmulRoots,
                                  .apply = apply_ort_fused_matmul};

}  // namespace onnxpress::passes
