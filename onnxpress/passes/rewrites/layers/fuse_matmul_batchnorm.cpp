// Folds an inference-time BatchNormalization into a MatMul whose columns become the channels by a Transpose or Reshape.
//
//   before: y = BatchNormalization(Transpose(Add(MatMul(x, w), b), perm = [0, 2, 1]), scale, bias, mean, var)
//   after:  y = Transpose(Add(MatMul(x, w * k), (b - mean) * k + bias), perm = [0, 2, 1])
//
// with k = scale / sqrt(var + epsilon). A Transpose must move the last axis to the second position; a Reshape must give
// [anything, columns], followed only by axes of size 1. Nothing else may read the values in between.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/batchnorm.h"

namespace onnxpress::passes {

namespace {

// Whether the second axis of the view's result is the last axis of its operand, which has `columns` elements.
bool keeps_columns(const Node& view, std::int64_t columns, const Rewriter& rw) {
  const auto before = rw.shape_of(view.input(0)), after = rw.shape_of(view.output());
  if (!before || before->empty() || before->back() != Dim::size(columns)) return false;
  if (view.is("Transpose")) {
    const auto perm = rw.params(view).integers("perm");
    return perm && perm->size() == before->size() && perm->size() > 1 &&
           (*perm)[1] == static_cast<std::int64_t>(before->size()) - 1;
  }
  return after && after->size() > 1 && (*after)[1] == Dim::size(columns) &&
         std::all_of(after->begin() + 2, after->end(), [](Dim dim) { return dim == Dim::size(1); });
}

bool apply_fuse_matmul_batchnorm(Node& bn, Rewriter& rw) {
  Node* view = rw.sole_producer(bn.input(0), "Transpose");
  if (!view) view = rw.sole_producer(bn.input(0), "Reshape");
  if (!view) return false;
  Value *columns = view->input(0), *added = nullptr;
  if (const Node* add = rw.sole_producer(columns, "Add")) {
    const std::size_t constant = rw.is_constant(add->input(0)) ? 0 : 1;
    added = add->input(constant);
    columns = add->input(1 - constant);
  }
  const Node* product = rw.sole_producer(columns, "MatMul");
  Value* w = product ? product->input(1) : nullptr;
  const auto shape = rw.shape_of(w);
  if (!shape || shape->size() < 2 || !rw.is_constant(w) || w->use_count() != 1) return false;
  const auto size = shape->back().size();
  if (!size || !keeps_columns(*view, *size, rw) || rw.element_of(w) != rw.element_of(bn.input(4))) return false;
  const auto affine = affine_of(bn, added, rw);
  Value* weights = affine ? rw.make("Mul", {w, affine->factor}) : nullptr;
  if (!rw.is_constant(weights) || !rw.same_shape(weights, w)) return false;
  Value* sum = rw.make("Add", {rw.make("MatMul", {product->input(0), weights}), affine->shift});
  if (!rw.same_shape(sum, view->input(0)) || !rw.set_input(*view, 0, sum)) return false;
  return rw.replace(bn, view->output());
}

constexpr std::string_view kFuseMatmulBatchnormRoots[] = {"BatchNormalization"};

}  // namespace

extern const Rewrite fuse_matmul_batchnorm;
const Rewrite fuse_matmul_batchnorm = {
    .name = "fuse-matmul-batchnorm",
    .summary = "folds BatchNormalization into the MatMul before a Transpose or Reshape",
    .exactness = Exactness::kReassociates,
    .group = "layers",
    .large_pattern = true,
    .roots = kFuseMatmulBatchnormRoots,
    .apply = apply_fuse_matmul_batchnorm};

}  // namespace onnxpress::passes
