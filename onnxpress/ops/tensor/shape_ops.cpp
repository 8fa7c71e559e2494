// Ops that give a shape as a value, make a value of a given shape, or change the shape of a value.
#include <algorithm>

#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/kernels/moved_elements.h"
#include "onnxpress/ops/tensor/constants.h"
#include "onnxpress/ops/tensor/reshape.h"

namespace onnxpress::ops {

namespace {

// The axes that Shape reports: [start, end), where negative numbers count from the end; both are clamped.
std::pair<std::size_t, std::size_t> shape_window(const Params& params, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  const auto clamped = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + limit : axis, 0, limit);
  };
  const auto start = clamped(params.integer_or("start", 0)), end = clamped(params.integer_or("end", limit));
  return {static_cast<std::size_t>(start), static_cast<std::size_t>(std::max(start, end))};
}

void infer_shape(Inference& in) {
  if (in.result_count() == 0) return;
  in.set_rank(0, 1);
  in.result().range = {0, std::numeric_limits<double>::infinity(), true};
  const Shape* data = in.shape(0);
  if (!data) return;
  const auto [start, end] = shape_window(in.params, data->size());
  in.set_shape({Dim::size(static_cast<std::int64_t>(end - start))});
  in.set_elements(0, std::vector<Dim>(data->begin() + static_cast<std::ptrdiff_t>(start),
                                      data->begin() + static_cast<std::ptrdiff_t>(end)));
  // No size is negative, so max(dim, 0) = dim. Then a Range as long as this axis has N - 5 elements, not max(N - 5, 0).
  for (const Dim dim : *data) {
    if (dim.is_symbol()) in.unify(dim, in.dims.max(dim, Dim::size(0)));
  }
}

bool evaluate_shape(Call& call) {
  const Sizes& sizes = call.array(0).sizes();
  const auto [start, end] = shape_window(call.params, sizes.size());
  return call.done(Array::of(std::span<const std::int64_t>(sizes).subspan(start, end - start)));
}

void infer_size(Inference& in) {
  if (in.result_count() == 0) return;
  in.set_shape({});
  in.result().range = {0, std::numeric_limits<double>::infinity(), true};
  if (const Shape* data = in.shape(0)) in.set_elements(0, {in.dims.product(*data)});
}

bool evaluate_size(Call& call) { return call.done(Array::scalar(static_cast<std::int64_t>(call.array(0).count()))); }

void infer_identity(Inference& in) { in.set(0, in.operand(0)); }

bool evaluate_identity(Call& call) { return call.has(0) ? call.done(call.datum(0)) : call.fail("there is no operand"); }

constexpr OpDef kShapeOpsRows[] = {
    {.name = "Constant", .infer = infer_constant, .evaluate = evaluate_constant, .cost = cost_nothing},
    {.name = "ConstantOfShape",
     .traits = kDecodes,
     .infer = infer_constant_of_shape,
     .evaluate = evaluate_constant_of_shape,
     .cost = cost_nothing,
     .ort_lacks = type_set(ElementType::kBfloat16)},
    {.name = "EyeLike", .traits = kReadsOnlyShape | kDecodes, .infer = infer_eye_like, .evaluate = evaluate_eye_like},
    {.name = "Flatten",
     .traits = kMovesData | kView,
     .infer = infer_flatten,
     .evaluate = evaluate_flatten,
     .cost = cost_view},
    {.name = "Identity",
     .traits = kMovesData | kIdempotent | kView,
     .infer = infer_identity,
     .evaluate = evaluate_identity,
     .cost = cost_view},
    {.name = "Range", .traits = kDecodes, .infer = infer_range, .evaluate = evaluate_range, .cost = cost_per_result},
    {.name = "Range",
     .domain = "com.microsoft",
     .infer = infer_range,
     .evaluate = evaluate_range,
     .cost = cost_per_result},
    {.name = "Reshape",
     .traits = kMovesData | kDecodes | kView,
     .infer = infer_reshape,
     .evaluate = evaluate_reshape,
     .cost = cost_view},
    {.name = "Shape", .traits = kReadsOnlyShape, .infer = infer_shape, .evaluate = evaluate_shape},
    {.name = "Size", .traits = kReadsOnlyShape, .infer = infer_size, .evaluate = evaluate_size},
    {.name = "Squeeze",
     .traits = kMovesData | kDecodes | kView,
     .infer = infer_squeeze,
     .evaluate = evaluate_squeeze,
     .cost = cost_view},
    {.name = "Unsqueeze",
     .traits = kMovesData | kDecodes | kView,
     .infer = infer_old_unsqueeze,
     .evaluate = evaluate_unsqueeze,
     .cost = cost_view},
    {.name = "Unsqueeze",
     .since = 11,
     .traits = kMovesData | kDecodes | kView,
     .infer = infer_unsqueeze,
     .evaluate = evaluate_unsqueeze,
     .cost = cost_view},
    {.name = "ExpandDims",
     .domain = "com.microsoft",
     .traits = kMovesData | kView,
     .infer = infer_expand_dims,
     .evaluate = evaluate_expand_dims,
     .cost = cost_view},
};

}  // namespace

Family shape_ops() { return kShapeOpsRows; }

}  // namespace onnxpress::ops
