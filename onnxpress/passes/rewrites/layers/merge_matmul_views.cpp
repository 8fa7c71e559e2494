// Multiplies values in the shapes that they have, instead of reshaping them first and the product afterwards.
//
//   before: y = Reshape(MatMul(Reshape(x, [-1, 64]), w), [b, s, 32])   with x of [b, s, 64]
//   after:  y = MatMul(x, w)
//
// A Gemm with a bias becomes y = Add(MatMul(x, w), c). Either operand or both may be reshaped, and MatMul may repeat
// matrices, as long as each row of the result still comes from the same row of x and the same matrix of w.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/matmul_rows.h"

namespace onnxpress::passes {

namespace {

// What a value is before it is reshaped; null if it is not the result of a Reshape.
Value* before_reshape(const Value* value, const Rewriter& rw) {
  const Node* reshape = rw.producer(value, "Reshape");
  return reshape ? reshape->input(0) : nullptr;
}

struct Operands {
  Value *a = nullptr, *b = nullptr;
};

// The operands before they are reshaped, both or one of them, whose product has the shape `result`. Null if none has.
Operands plain_operands(const Node& product, const ops::Shape& result, const Rewriter& rw) {
  Value *a = product.input(0), *b = product.input(1), *x = before_reshape(a, rw), *w = before_reshape(b, rw);
  const auto a_shape = rw.shape_of(a), b_shape = rw.shape_of(b);
  const auto now = a_shape && b_shape ? product_shapes(*a_shape, *b_shape, rw) : std::nullopt;
  for (const Operands& each : {Operands{x, w}, Operands{x, b}, Operands{a, w}}) {
    const auto left = each.a && each.b ? rw.shape_of(each.a) : std::nullopt, right = rw.shape_of(each.b);
    const auto then = now && left && right ? product_shapes(*left, *right, rw) : std::nullopt;
    const bool fits = then && std::ranges::equal(then->result, result,
                                                 [&](Dim one, Dim other) { return rw.dims().equal(one, other); });
    if (fits && same_products(*now, *then, rw)) return each;
  }
  return {};
}

// The weights of a Gemm for use in a MatMul; null if the Gemm does more than multiply and add.
Value* plain_weights(const Node& gemm, Rewriter& rw) {
  const auto params = rw.params(gemm);
  if (params.real_or("alpha", 1) != 1 || params.real_or("beta", 1) != 1 || params.flag("transA")) return nullptr;
  if (!params.flag("transB")) return gemm.input(1);
  Value* turned = rw.make("Transpose", {gemm.input(1)}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  return rw.is_constant(turned) && gemm.input(1)->use_count() == 1 ? turned : nullptr;
}

// A bias that is the same for all rows, and has no more axes than the result.
bool is_row(const Value* bias, const ops::Shape& result, const Rewriter& rw) {
  const auto shape = rw.shape_of(bias);
  return shape && shape->size() <= result.size() &&
         (shape->size() < 2 || std::all_of(shape->begin(), shape->end() - 1, [](Dim dim) { return dim.size() == 1; }));
}

bool apply_merge_matmul_views(Node& reshape, Rewriter& rw) {
  const Node* product = rw.sole_producer(reshape.input(0), "MatMul");
  const Node* gemm = product ? nullptr : rw.sole_producer(reshape.input(0), "Gemm");
  if (gemm) product = gemm;
  const auto result = product ? rw.shape_of(reshape.output()) : std::nullopt;
  if (!result) return false;
  if (!gemm) {
    const Operands plain = plain_operands(*product, *result, rw);
    return plain.a && rw.replace(reshape, rw.make("MatMul", {plain.a, plain.b}));
  }
  Value *bias = gemm->input(2), *weights = plain_weights(*gemm, rw), *x = before_reshape(gemm->input(0), rw);
  const auto rows = rw.shape_of(gemm->input(0)), matrix = rw.shape_of(weights), before = rw.shape_of(x);
  if (!rows || !matrix || !before || matrix->size() != 2 || (bias && !is_row(bias, *result, rw))) return false;
  const auto now = product_shapes(*rows, *matrix, rw), then = product_shapes(*before, *matrix, rw);
  const bool fits =
      now && then && then->result.size() == result->size() &&
      std::ranges::equal(then->result, *result, [&](Dim one, Dim other) { return rw.dims().equal(one, other); });
  if (!fits || !same_products(*now, *then, rw)) return false;
  Value* multiplied = rw.make("MatMul", {x, weights});
  return rw.replace(reshape, bias ? rw.make("Add", {multiplied, bias}) : multiplied);
}

constexpr std::string_view kMergeMatmulViewsRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite merge_matmul_views;
const Rewrite merge_matmul_views = {
    .name = "merge-matmul-views",
    .summary = "multiplies values in the shapes that they have, instead of reshaping them and the product",
    .exactness = Exactness::kReassociates,
    .group = "layers",
    .large_pattern = true,
    .roots = kMergeMatmulViewsRoots,
    .apply = apply_merge_matmul_views};

}  // namespace onnxpress::passes
