// Shapes of reductions, and sums and products of shapes as expressions.
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/math/reduce.h"

namespace onnxpress::ops {

namespace {

// Which axes are reduced; nullopt when that is known only at run time.
std::optional<std::vector<bool>> reduced_axes(Inference& in, std::size_t rank) {
  std::vector<std::int64_t> axes;
  if (in.params.given("axes")) {
    const auto list = in.params.integers("axes");
    if (!list) return std::nullopt;
    axes = *list;
  }
  if (axes.empty()) return std::vector<bool>(rank, !in.params.flag("noop_with_empty_axes"));
  for (const std::int64_t axis : axes) {
    if (!required_axis(in, axis, rank)) return std::nullopt;
  }
  const auto normal = normal_axes(axes, rank);
  if (!normal) return std::nullopt;
  std::vector<bool> reduced(rank, false);
  for (const std::size_t axis : *normal) reduced[axis] = true;
  return reduced;
}

Shape shape_without(const Shape& x, const std::vector<bool>& reduced, bool keep) {
  Shape shape;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!reduced[i]) shape.push_back(x[i]);
    if (reduced[i] && keep) shape.push_back(Dim::size(1));
  }
  return shape;
}

// For axes that are not known: with keepdims the rank stays the same; otherwise the rank is known if the number of axes
// is.
void infer_rank(Inference& in, const Shape& x, bool keep) {
  if (keep) {
    Shape shape(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == Dim::size(1)) shape[i] = x[i];
    }
    return in.set_shape(std::move(shape));
  }
  const auto axes = in.symbolic("axes");
  if (axes && !axes->empty() && axes->size() <= x.size()) in.set_rank(0, x.size() - axes->size());
}

Dim folded(DimMath& dims, Reduction kind, Dim a, Dim b) {
  switch (kind) {
    case Reduction::kSum:
      return dims.add(a, b);
    case Reduction::kProd:
      return dims.mul(a, b);
    case Reduction::kMax:
      return dims.max(a, b);
    case Reduction::kMin:
      return dims.min(a, b);
    default:
      return {};
  }
}

void infer_reduced_elements(Inference& in, Reduction kind, const std::vector<bool>& reduced) {
  const auto* elements = in.elements(0);
  const auto sizes = in.operand(0).sizes();
  if (!elements || elements->empty() || !sizes || in.result_count() == 0) return;
  Sizes kept;
  for (std::size_t i = 0; i < sizes->size(); ++i) kept.push_back(reduced[i] ? 1 : (*sizes)[i]);
  const Sizes strides = strides_of(kept), own = strides_of(*sizes);
  std::vector<Dim> results(*count_of(kept));
  std::vector<bool> begun(results.size(), false);
  for (std::size_t i = 0; i < elements->size(); ++i) {
    std::int64_t at = 0, rest = static_cast<std::int64_t>(i);
    for (std::size_t axis = 0; axis < sizes->size(); ++axis) {
      if (!reduced[axis]) at += rest / own[axis] * strides[axis];
      rest %= own[axis];
    }
    const auto k = static_cast<std::size_t>(at);
    const Dim next = (*elements)[i];
    results[k] = begun[k] ? fitting(in, folded(in.dims, kind, results[k], next), in.operand(0).element) : next;
    begun[k] = true;
  }
  in.set_elements(0, std::move(results));
}

}  // namespace

void infer_reduction(Inference& in, Reduction kind) {
  if (in.result_count() == 0) return;
  if (in.operand(0).is_splat) in.result().is_splat = true;
  const bool positive = kind == Reduction::kL1 || kind == Reduction::kL2 || kind == Reduction::kSumSquare;
  if (positive && is_float(in.operand(0).element)) in.result().range.low = 0;
  const Shape* x = in.shape(0);
  if (!x || !require_flag(in, "keepdims")) return;
  const bool keep = in.params.integer_or("keepdims", 1) != 0;
  const auto reduced = reduced_axes(in, x->size());
  if (!reduced) return infer_rank(in, *x, keep);
  in.set_shape(shape_without(*x, *reduced, keep));
  const bool exact =
      kind == Reduction::kSum || kind == Reduction::kProd || kind == Reduction::kMax || kind == Reduction::kMin;
  if (exact) infer_reduced_elements(in, kind, *reduced);
}

}  // namespace onnxpress::ops
