// Multiplies a value with many axes directly, instead of reshaping it to a matrix first.
//
//   before: y = Reshape(MatMul(Reshape(x, [-1, 64]), w), [b, s, 32])   with x of [b, s, 64]
//   after:  y = MatMul(x, w)
//
// A Gemm with a bias becomes y = Add(MatMul(x, w), c). Rows and columns must keep their order: the last axis must not
// be merged with others on either side.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// The Reshape that turns three or more axes into a matrix and keeps the last axis; null for any other value.
const Node* flattened(const Value* value, const Rewriter& rw) {
  const Node* reshape = rw.sole_producer(value, "Reshape");
  const auto before = reshape ? rw.shape_of(reshape->input(0)) : std::nullopt, after = rw.shape_of(value);
  const bool fits = before && after && before->size() > 2 && after->size() == 2 &&
                    rw.dims().equal(before->back(), after->back()) && before->back().size() != 0;
  return fits ? reshape : nullptr;
}

// Whether the result has the axes of x, except for the last one, which is that of the product.
bool restores(const ops::Shape& x, const ops::Shape& product, const ops::Shape& result, const Rewriter& rw) {
  return x.size() == result.size() && rw.dims().equal(product.back(), result.back()) &&
         std::equal(x.begin(), x.end() - 1, result.begin(), [&](Dim a, Dim b) { return rw.dims().equal(a, b); });
}

// The weights of a Gemm for use in a MatMul; null if the Gemm does more than multiply and add.
Value* plain_weights(const Node& gemm, Rewriter& rw) {
  const auto params = rw.params(gemm);
  if (params.real_or("alpha", 1) != 1 || params.real_or("beta", 1) != 1 || params.flag("transA")) return nullptr;
  if (!params.flag("transB")) return gemm.input(1);
  Value* turned = rw.make("Transpose", {gemm.input(1)}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  return rw.is_constant(turned) && gemm.input(1)->use_count() == 1 ? turned : nullptr;
}

bool apply_merge_matmul_views(Node& reshape, Rewriter& rw) {
  const Node* product = rw.sole_producer(reshape.input(0), "MatMul");
  const Node* gemm = product ? nullptr : rw.sole_producer(reshape.input(0), "Gemm");
  if (gemm) product = gemm;
  const Node* flat = product ? flattened(product->input(0), rw) : nullptr;
  const auto x = flat ? rw.shape_of(flat->input(0)) : std::nullopt, w = product ? rw.shape_of(product->input(1)) : x,
             matrix = rw.shape_of(reshape.input(0)), result = rw.shape_of(reshape.output());
  if (!x || !w || !matrix || !result || w->size() != 2 || !restores(*x, *matrix, *result, rw)) return false;
  if (!gemm) return rw.replace(reshape, rw.make("MatMul", {flat->input(0), product->input(1)}));
  Value* bias = gemm->input(2);
  const auto addend = bias ? rw.shape_of(bias) : std::nullopt;
  if (bias && (!addend || addend->size() > 1)) return false;  // the bias may differ between rows
  Value* multiplied = rw.make("MatMul", {flat->input(0), plain_weights(*gemm, rw)});
  return rw.replace(reshape, bias ? rw.make("Add", {multiplied, bias}) : multiplied);
}

constexpr std::string_view kMergeMatmulViewsRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite merge_matmul_views;
const Rewrite merge_matmul_views = {
    .name = "merge-matmul-views",
    .summary = "multiplies a value with many axes directly, instead of reshaping it to a matrix first",
    .exactness = Exactness::kReassociates,
    .group = "layers",
    .large_pattern = true,
    .roots = kMergeMatmulViewsRoots,
    .apply = apply_merge_matmul_views};

}  // namespace onnxpress::passes
