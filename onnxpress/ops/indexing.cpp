// Elements chosen by index or condition: Where and OneHot here; gathering, scattering and picking in files of their
// own.
#include <fmt/format.h>

#include <cmath>

#include "onnxpress/ops/block_copy.h"
#include "onnxpress/ops/element_width.h"
#include "onnxpress/ops/elementwise.h"
#include "onnxpress/ops/families.h"
#include "onnxpress/ops/gather.h"
#include "onnxpress/ops/moved_elements.h"
#include "onnxpress/ops/scatter.h"
#include "onnxpress/ops/selection.h"

namespace onnxpress::ops {

namespace {

// --- Where

// The elements of an operand, unknown ones where nothing is known; nullopt when not even their number is.
std::optional<std::vector<Dim>> elements_or_unknown(const Fact& fact) {
  if (fact.elements) return fact.elements;
  const auto sizes = fact.sizes();
  const auto count = sizes ? count_of(*sizes) : std::nullopt;
  return count && *count <= kMostElementsKnown ? std::optional(std::vector<Dim>(*count)) : std::nullopt;
}

// Each element is that of X or Y where the condition is known, and either where they are the same.
void infer_where_elements(Inference& in) {
  if (!in.elements(1) && !in.elements(2)) return;
  const auto condition = elements_or_unknown(in.operand(0)), x = elements_or_unknown(in.operand(1)),
             y = elements_or_unknown(in.operand(2));
  const auto sizes = in.result().sizes();
  if (!condition || !x || !y || !sizes || count_of(*sizes).value_or(kMostElementsKnown + 1) > kMostElementsKnown)
    return;
  const Sizes own[] = {*in.operand(0).sizes(), *in.operand(1).sizes(), *in.operand(2).sizes()};
  const Sizes* shapes[] = {&own[0], &own[1], &own[2]};
  if (broadcast_sizes(shapes) != sizes) return;
  const Walk walk(*sizes, shapes);
  std::vector<Dim> elements;
  walk.for_each_row([&](const Sizes& at) {
    for (std::int64_t i = 0; i < walk.sizes.back(); ++i) {
      const auto index = [&](std::size_t k) { return static_cast<std::size_t>(at[k] + i * walk.strides[k].back()); };
      const auto chosen = in.dims.resolve((*condition)[index(0)]).size();
      const Dim yes = (*x)[index(1)], no = (*y)[index(2)];
      elements.push_back(chosen ? (*chosen != 0 ? yes : no) : in.dims.equal(yes, no) ? yes : Dim());
    }
  });
  in.set_elements(0, std::move(elements));
}

void infer_where(Inference& in) {
  if (in.result_count() == 0) return;
  infer_broadcast(in);
  in.result().range = join(in.operand(1).range, in.operand(2).range);
  infer_where_elements(in);
}

// One row: the step of each operand is 0 or 1.
template <typename U>
void choose(const Bool* condition, std::int64_t condition_step, const U* x, std::int64_t x_step, const U* y,
            std::int64_t y_step, U* to, std::int64_t count) {
  if (condition_step == 0) {
    const U* from = *condition ? x : y;
    const std::int64_t step = *condition ? x_step : y_step;
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * step];
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = condition[i * condition_step] ? x[i * x_step] : y[i * y_step];
  }
}

bool evaluate_where(Call& call) {
  const Array &condition = call.array(0), &x = call.array(1), &y = call.array(2);
  if (condition.type() != ElementType::kBool || x.type() != y.type()) return call.fail_type();
  const Sizes* shapes[] = {&condition.sizes(), &x.sizes(), &y.sizes()};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes || !count_of(*sizes)) return call.fail("the operands' shapes cannot be broadcast together");
  Array made = Array::make(x.type(), *sizes);
  const Walk walk(*sizes, shapes);
  const std::int64_t count = walk.sizes.back();
  const bool known = dispatch_width(x, [&]<typename U>() {
    U* to = mutable_units_of<U>(made);
    walk.for_each_row([&](const Sizes& at) {
      choose(condition.data<Bool>().data() + at[0], walk.strides[0].back(), units_of<U>(x) + at[1],
             walk.strides[1].back(), units_of<U>(y) + at[2], walk.strides[2].back(), to, count);
      to += count;
    });
  });
  return known ? call.done(std::move(made)) : call.fail_type();
}

// --- OneHot

// The new axis stands among those of the indices and itself.
std::optional<std::size_t> one_hot_axis(const Params& params, std::size_t rank) {
  return normal_axis(params.integer_or("axis", -1), rank + 1);
}

void infer_one_hot(Inference& in) {
  if (in.result_count() == 0) return;
  in.result().range = in.operand(2).range;
  const Shape* indices = in.shape(0);
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

// Indices of any number type, cast to integers; what is no integer at all is out of range.
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
    return call.fail("the axis, the indices, the depth or the two values do not fit");
  const std::int64_t depth = depths->front();
  Sizes sizes = indices.sizes();
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*axis), depth);
  if (depth < 0 || !count_of(sizes)) return call.fail(fmt::format("depth {} is not sensible", depth));
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

constexpr OpDef kRows[] = {
    {.name = "Compress", .traits = kMovesData, .infer = infer_compress, .evaluate = evaluate_compress},
    {.name = "Gather", .traits = kMovesData, .infer = infer_gather, .evaluate = evaluate_gather},
    {.name = "GatherElements",
     .traits = kMovesData,
     .infer = infer_gather_elements,
     .evaluate = evaluate_gather_elements},
    {.name = "GatherND", .traits = kMovesData, .infer = infer_gather_nd, .evaluate = evaluate_gather_nd},
    {.name = "GatherND",
     .domain = "com.microsoft",
     .traits = kMovesData,
     .infer = infer_gather_nd,
     .evaluate = evaluate_gather_nd},
    {.name = "NonZero", .infer = infer_non_zero, .evaluate = evaluate_non_zero},
    {.name = "OneHot", .infer = infer_one_hot, .evaluate = evaluate_one_hot},
    {.name = "Scatter", .infer = infer_scatter_elements, .evaluate = evaluate_scatter_elements},
    {.name = "ScatterElements", .infer = infer_scatter_elements, .evaluate = evaluate_scatter_elements},
    {.name = "ScatterND", .infer = infer_scatter_nd, .evaluate = evaluate_scatter_nd},
    {.name = "TensorScatter", .infer = infer_tensor_scatter, .evaluate = evaluate_tensor_scatter},
    {.name = "TopK", .infer = infer_top_k, .evaluate = evaluate_top_k},
    {.name = "Unique", .infer = infer_unique, .evaluate = evaluate_unique},
    {.name = "Unique",
     .domain = "com.microsoft",
     .infer = infer_microsoft_unique,
     .evaluate = evaluate_microsoft_unique},
    {.name = "Where", .traits = kElementwise, .infer = infer_where, .evaluate = evaluate_where},
};

}  // namespace

Family indexing() { return kRows; }

}  // namespace onnxpress::ops
