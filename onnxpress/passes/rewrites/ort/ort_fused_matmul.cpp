// Merges Transposes of the operands and a scale of the result into FusedMatMul.
//
//   before: y = Mul(MatMul(x, Transpose(w)), 0.125)
//   after:  y = com.microsoft.FusedMatMul(x, w, transB = 1, alpha = 0.125)
//
// A Transpose must swap the last two axes and leave the others in place.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

namespace {

// The operand of a Transpose that swaps the last two axes; null if the value is not the result of one.
Value* swapped(const Value* value, const Rewriter& rw) {
  Node* transpose = rw.sole_producer(value, "Transpose");
  auto perm = transpose ? perm_of(*transpose, rw) : std::nullopt;
  if (!perm || perm->size() < 2 || rw.is_constant(transpose->input(0))) return nullptr;
  std::swap((*perm)[perm->size() - 1], (*perm)[perm->size() - 2]);
  return moves_nothing(*perm) ? transpose->input(0) : nullptr;
}

bool take_transposes(Node& matmul, Rewriter& rw) {
  Value *a = swapped(matmul.input(0), rw), *b = swapped(matmul.input(1), rw);
  if (!a && !b) return false;
  return rw.replace(matmul, make_ort("FusedMatMul", {a ? a : matmul.input(0), b ? b : matmul.input(1)},
                                     {{"transA", a ? 1 : 0}, {"transB", b ? 1 : 0}}, rw));
}

bool take_scale(Node& scale, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    if (side == 1 && scale.is("Div")) continue;
    Node* product = rw.sole_producer(scale.input(side), "MatMul");
    if (!product) product = sole_ort_producer(scale.input(side), "FusedMatMul");
    const Value* by = scale.input(1 - side);
    const auto array = product && rw.is_constant(by) ? rw.constant(by) : std::nullopt;
    const auto number = array ? array->number() : std::nullopt;
    if (!number || *number == 0 || !rw.same_shape(product->output(), scale.output())) continue;
    const auto params = rw.params(*product);
    const double before = params.real_or("alpha", 1), alpha = scale.is("Div") ? before / *number : before * *number;
    return rw.replace(scale, make_ort("FusedMatMul", {product->input(0), product->input(1)},
                                      {{"transA", params.integer_or("transA", 0)},
                                       {"transB", params.integer_or("transB", 0)},
                                       {"transBatchA", params.integer_or("transBatchA", 0)},
                                       {"transBatchB", params.integer_or("transBatchB", 0)},
                                       {"alpha", alpha}},
                                      rw));
  }
  return false;
}

bool apply_ort_fused_matmul(Node& node, Rewriter& rw) {
  if (!is_for_ort(node.output(), rw)) return false;
  return node.is("MatMul") ? take_transposes(node, rw) : take_scale(node, rw);
}

constexpr std::string_view kOrtFusedMatmulRoots[] = {"MatMul", "Mul", "Div"};

}  // namespace

extern const Rewrite ort_fused_matmul;
const Rewrite ort_fused_matmul = {.name = "ort-fused-matmul",
                                  .summary = "merges Transposes and a scale into FusedMatMul",
                                  .exactness = Exactness::kReassociates,
                                  .group = "ort",
                                  .large_pattern = true,
                                  .roots = kOrtFusedMatmulRoots,
                                  .apply = apply_ort_fused_matmul};

}  // namespace onnxpress::passes
