// Slice, with attributes or operands.
#include "onnxpress/ops/tensor/slice.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

namespace {

// The part of one axis that is taken: `count` elements from `start` on, every `step`-th.
struct Taken {
  std::int64_t start = 0, step = 1, count = 0;
};

// By the spec: negative positions count from the end, then both are clamped.
Taken taken_of(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (size == 0) return {0, 1, 0};
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const std::int64_t first = std::clamp<std::int64_t>(start < 0 ? start + size : start, 0, high);
  const std::int64_t last = std::clamp(end < 0 ? end + size : end, low, high);
  const std::int64_t distance = step > 0 ? last - first : first - last;
  if (distance <= 0) return {0, 1, 0};
  // In unsigned numbers, because the smallest step has no absolute value as a signed one.
  const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const auto count = static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / stride + 1);
  return {first, count > 1 ? step : 1, count};
}

// The axes that starts and ends refer to, by default all in order; nullopt when they are not known.
std::optional<std::vector<std::size_t>> sliced_axes(const Params& params, std::size_t count, std::size_t rank) {
  std::vector<std::int64_t> axes;
  if (params.given("axes")) {
    const auto given = params.integers("axes");
    if (!given) return std::nullopt;
    axes = *given;
  } else {
    for (std::size_t i = 0; i < count; ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  if (axes.size() != count) return std::nullopt;
  return normal_axes(axes, rank);
}

// A list parameter as expressions. Numbers too big for a Dim are far beyond any size, so they are clamped to the
// biggest that fits.
std::optional<std::vector<Dim>> bounds_of(Inference& in, std::string_view name) {
  const auto numbers = in.params.integers(name);
  if (!numbers) return in.symbolic(name);
  std::vector<Dim> bounds;
  for (const std::int64_t number : *numbers)
    bounds.push_back(Dim::size(std::clamp(number, -Dim::kMostSize, Dim::kMostSize)));
  return bounds;
}

// A position counted from the front; unknown when its sign is not known.
Dim from_front(DimMath& dims, Dim position, Dim size) {
  if (dims.at_least(position, 0)) return position;
  if (position == Dim::size(-Dim::kMostSize)) return position;
  return dims.at_most(position, -1) ? dims.add(position, size) : Dim();
}

Dim at_most_of(DimMath& dims, Dim a, Dim b) {
  return dims.not_above(a, b) ? a : dims.not_above(b, a) ? b : dims.min(a, b);
}

// ceil(distance / step), at least 0.
Dim steps_in(DimMath& dims, Dim distance, std::int64_t step) {
  const Dim count = step == 1 ? distance : dims.ceil_div(distance, Dim::size(step));
  return dims.at_least(count, 0) ? count : dims.max(count, Dim::size(0));
}

// Forwards: ceil((min(end, size) - max(start, 0)) / step). The other two clamps of the spec only matter where this is
// negative. Written with min(end - start, end) instead of end - max(start, 0), so that x[-2:] becomes min(2, size).
Dim forward_count(DimMath& dims, Dim size, Dim start, Dim end, std::int64_t step) {
  const Dim first = from_front(dims, start, size);
  const Dim far_end = from_front(dims, end, size);
  const Dim last = end == Dim::size(Dim::kMostSize) ? size : at_most_of(dims, far_end, size);
  Dim distance = dims.sub(last, first);
  if (!dims.at_least(first, 0)) distance = at_most_of(dims, distance, last);
  return steps_in(dims, distance, step);
}

// Backwards: ceil((min(start, size - 1) - max(end, -1)) / -step). A start before the front is clamped to 0, which this
// formula does not cover, so the result is unknown then.
Dim backward_count(DimMath& dims, Dim size, Dim start, Dim end, std::int64_t step) {
  const Dim final_index = dims.sub(size, Dim::size(1));
  Dim first = start == Dim::size(-1) ? final_index : from_front(dims, start, size);
  if (start != Dim::size(-1) && !dims.at_least(first, 0)) return Dim();
  first = start == Dim::size(Dim::kMostSize) ? final_index : at_most_of(dims, first, final_index);
  Dim last = from_front(dims, end, size);
  if (!dims.at_least(last, -1)) {
    if (last.is_unknown()) return Dim();
    last = dims.at_most(last, -1) ? Dim::size(-1) : dims.max(last, Dim::size(-1));
  }
  return steps_in(dims, dims.sub(first, last), -step);
}

Dim sliced_size(Inference& in, Dim size, Dim start, Dim end, Dim step) {
  const auto stride = in.dims.resolve(step).size();
  if (!stride || *stride == 0 || size.is_unknown() || start.is_unknown() || end.is_unknown()) return Dim();
  const auto whole = in.dims.resolve(size).size(), from = start.size(), to = end.size();
  if (whole && *whole < 0) return Dim();  // the model cannot run with these inputs
  if (whole && from && to) return Dim::size(taken_of(*whole, *from, *to, *stride).count);
  return *stride > 0 ? forward_count(in.dims, size, start, end, *stride)
                     : backward_count(in.dims, size, start, end, *stride);
}

}  // namespace

namespace {

// All lists have the same length, no step is 0, and the axes exist. ONNX does not look at axes that are attributes.
bool require_slices(Inference& in, std::size_t rank) {
  const auto starts = in.symbolic("starts");
  if (!starts) return true;
  for (const std::string_view name : {"ends", "axes", "steps"}) {
    if (!require_length(in, name, starts->size())) return false;
  }
  const auto steps = in.params.given("steps") ? in.params.integers("steps") : std::nullopt;
  if (steps && std::find(steps->begin(), steps->end(), 0) != steps->end()) {
    in.contradict("a step is 0");
    return false;
  }
  const bool are_operands = in.params.schema().operand("axes") >= 0;
  const auto axes = are_operands && in.params.given("axes") ? in.params.integers("axes") : std::nullopt;
  return !axes || require_different_axes(in, *axes, rank);
}

}  // namespace

void infer_slice(Inference& in) {
  const Shape* data = in.shape(0);
  if (!data || !require_slices(in, data->size())) return;
  infer_moved_values(in);
  const auto starts = bounds_of(in, "starts"), ends = bounds_of(in, "ends");
  const auto given_axes = in.params.given("axes") ? in.symbolic("axes") : std::nullopt;
  const std::size_t count = starts ? starts->size() : ends ? ends->size() : given_axes ? given_axes->size() : 0;
  const auto axes = count > 0 || starts ? sliced_axes(in.params, count, data->size()) : std::nullopt;
  if (!axes) return set_fresh_shape(in, data->size());
  const auto steps = in.params.given("steps") ? bounds_of(in, "steps") : std::vector<Dim>(count, Dim::size(1));
  const auto at = [](const std::optional<std::vector<Dim>>& list, std::size_t i) {
    return list && i < list->size() ? (*list)[i] : Dim();
  };
  Shape shape = *data;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = (*axes)[i];
    shape[axis] = known_or_fresh(in, sliced_size(in, shape[axis], at(starts, i), at(ends, i), at(steps, i)), 0, axis);
  }
  in.set_shape(std::move(shape));
  infer_moved_elements(in, evaluate_slice);
}

bool evaluate_slice(Call& call) {
  const Array& data = call.array(0);
  const auto starts = call.params.integers("starts"), ends = call.params.integers("ends");
  if (!starts || !ends || starts->size() != ends->size())
    return call.fail("starts and ends are not lists of the same length");
  const auto steps =
      call.params.given("steps") ? call.params.integers("steps") : std::vector<std::int64_t>(starts->size(), 1);
  const auto axes = sliced_axes(call.params, starts->size(), data.rank());
  if (!axes || !steps || steps->size() != starts->size())
    return call.fail(
        fmt::format("the axes or steps do not match {} starts and an operand of rank {}", starts->size(), data.rank()));
  Sizes sizes = data.sizes();
  Layout layout{0, strides_of(data.sizes())};
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = (*axes)[i];
    if ((*steps)[i] == 0) return call.fail("a step is 0");
    const Taken taken = taken_of(sizes[axis], (*starts)[i], (*ends)[i], (*steps)[i]);
    sizes[axis] = taken.count;
    layout.offset += taken.start * layout.strides[axis];
    layout.strides[axis] *= taken.step;
  }
  return call.done(block_of(data, layout, sizes, sizes));
}

}  // namespace onnxpress::ops
