// Ops that choose elements by index: OneHot is here; gathering, scattering and selection have their own files.
#include <fmt/format.h>

#include <cmath>

#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/element_width.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/core/weight_axes.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/moved_elements.h"
#include "onnxpress/ops/tensor/gather.h"
#include "onnxpress/ops/tensor/scatter.h"
#include "onnxpress/ops/tensor/selection.h"

namespace onnxpress::ops {

namespace {

// --- OneHot

// The result has the axes of the indices and the new axis.
std::optional<std::size_t> one_hot_axis(const Params& params, std::size_t rank) {
  return normal_axis(params.integer_or("axis", -1), rank + 1);
}

// The depth is one number, which is not below 0; the values are one for off and one for on.
bool require_one_depth(Inference& in) {
  const Shape *depth = in.shape(1), *values = in.shape(2);
  if (depth && depth->size() > 1) return require_rank(in, 1, 0);
  const auto count = depth && !depth->empty() ? in.dims.resolve(depth->front()).size() : std::nullopt;
  if (count && *count > 1) in.contradict(fmt::format("depth has {} entries, but may have only one", *count));
  if (const auto number = in.params.real("depth"); number && *number <= -1)
    in.contradict(fmt::format("depth is {}, but must be at least 0", *number));
  if (values && values->size() == 1) in.unify(values->front(), Dim::size(2));
  return in.contradiction().empty();
}

void infer_one_hot(Inference& in) {
  if (in.result_count() == 0) return;
  in.result().range = in.operand(2).range;
  if (!require_rank(in, 2, 1)) return;
  const Shape* indices = in.shape(0);
  if (!require_one_depth(in) || !require_rank_at_least(in, 0, 1)) return;
  if (indices && !required_axis(in, in.params.integer_or("axis", -1), indices->size() + 1)) return;
  const auto axis = indices ? one_hot_axis(in.params, indices->size()) : std::nullopt;
  if (!axis) return;
  Dim depth;
  if (const auto* known = in.elements(1); known && known->size() == 1) {
    depth = known->front();
  } else if (const auto number = in.params.real("depth"); number && *number >= 0 && *number < 1e15) {
    depth = Dim::size(static_cast<std::int64_t>(*number));
  }
  Shape shape = *indices;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), known_or_fresh(in, depth, 0, *axis));
  in.set_shape(std::move(shape));
}

// Indices of any number type, cast to integers; numbers that are too large for an integer are out of range.
std::optional<std::vector<std::int64_t>> cast_indices(const Array& array) {
  if (auto list = array.integers()) return list;
  std::vector<std::int64_t> list;
  const bool known = dispatch(FloatTypes(), array.type(), [&]<typename T>() {
    for (const T each : array.data<T>()) {
      const auto number = static_cast<double>(static_cast<Computed<T>>(each));
      list.push_back(std::abs(number) < 1e18 ? static_cast<std::int64_t>(number)
                                             : std::numeric_limits<std::int64_t>::max());
    }
  });
  return known ? std::optional(std::move(list)) : std::nullopt;
}

bool evaluate_one_hot(Call& call) {
  const Array &indices = call.array(0), &values = call.array(2);
  const auto axis = one_hot_axis(call.params, indices.rank());
  const auto list = cast_indices(indices), depths = cast_indices(call.array(1));
  if (!axis || !list || !depths || depths->size() != 1 || values.count() != 2)
    return call.fail("the axis, the indices, the depth or the two values are not valid");
  const std::int64_t depth = depths->front();
  Sizes sizes = indices.sizes();
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*axis), depth);
  if (depth < 0 || !count_of(sizes)) return call.fail(fmt::format("depth {} is not valid", depth));
  Array made = Array::make(values.type(), sizes);
  fill(made, &values);
  const std::int64_t inner = product(sizes, *axis + 1, sizes.size());
  dispatch_width(values, [&]<typename U>() {
    const U on = units_of<U>(values)[1];
    U* to = mutable_units_of<U>(made);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(list->size()); ++i) {
      const std::int64_t index = (*list)[static_cast<std::size_t>(i)];
      if (index < -depth || index >= depth) continue;
      to[(i / inner * depth + (index < 0 ? index + depth : index)) * inner + i % inner] = on;
    }
  });
  return call.done(std::move(made));
}

constexpr OpDef kIndexingRows[] = {
    {.name = "Compress",
     .traits = kMovesData,
     .infer = infer_compress,
     .evaluate = evaluate_compress,
     .cost = cost_nothing},
    {.name = "Gather",
     .traits = kMovesData | kDecodes,
     .infer = infer_gather,
     .evaluate = evaluate_gather,
     .cost = cost_gather,
     .weights = {0b1, table_axes},
     .indices = 1},
    {.name = "GatherElements",
     .traits = kMovesData | kDecodes,
     .infer = infer_gather_elements,
     .evaluate = evaluate_gather_elements,
     .cost = cost_gather,
     .indices = 1},
    {.name = "GatherND",
     .traits = kMovesData | kDecodes,
     .infer = infer_gather_nd,
     .evaluate = evaluate_gather_nd,
     .cost = cost_gather},
    {.name = "GatherND",
     .domain = "com.microsoft",
     .traits = kMovesData,
     .infer = infer_gather_nd,
     .evaluate = evaluate_gather_nd,
     .cost = cost_gather},
    {.name = "NonZero", .infer = infer_non_zero, .evaluate = evaluate_non_zero, .cost = cost_times_operand<1>},
    // ONNX Runtime has kernels for only a few combinations of types.
    {.name = "OneHot",
     .traits = kDecodes | kTypeMatters,
     .infer = infer_one_hot,
     .evaluate = evaluate_one_hot,
     .cost = cost_nothing},
    {.name = "Scatter", .infer = infer_scatter_elements, .evaluate = evaluate_scatter_elements, .cost = cost_nothing},
    {.name = "ScatterElements",
     .traits = kDecodes,
     .infer = infer_scatter_elements,
     .evaluate = evaluate_scatter_elements,
     .cost = cost_nothing},
    {.name = "ScatterND",
     .traits = kDecodes,
     .infer = infer_scatter_nd,
     .evaluate = evaluate_scatter_nd,
     .cost = cost_nothing},
    {.name = "TensorScatter", .infer = infer_tensor_scatter, .evaluate = evaluate_tensor_scatter, .cost = cost_nothing},
    {.name = "TopK", .infer = infer_top_k, .evaluate = evaluate_top_k, .cost = cost_times_operand<1>},
    {.name = "Unique", .infer = infer_unique, .evaluate = evaluate_unique, .cost = cost_times_operand<1>},
    {.name = "Unique",
     .domain = "com.microsoft",
     .infer = infer_microsoft_unique,
     .evaluate = evaluate_microsoft_unique,
     .cost = cost_times_operand<1>},
};

}  // namespace

Family indexing() { return kIndexingRows; }

}  // namespace onnxpress::ops
