// Normalizes starts and ends as Slice does: negative ones count from the end, and all are limited to the axis.
#include "onnxpress/passes/shared/slices.h"

#include <algorithm>

namespace onnxpress::passes {

std::optional<AxisSlice> slice_of(Node& slice, const Rewriter& rw) {
  const auto params = rw.params(slice);
  const auto shape = rw.shape_of(slice.input(0));
  const auto starts = params.integers("starts"), ends = params.integers("ends");
  const auto axes = params.integers("axes"), steps = params.integers("steps");
  if (!shape || !starts || !ends || starts->size() != 1 || ends->size() != 1) return std::nullopt;
  if ((params.given("axes") && (!axes || axes->size() != 1)) ||
      (params.given("steps") && (!steps || steps->size() != 1)))
    return std::nullopt;
  const auto axis = ops::normal_axis(axes ? axes->front() : 0, shape->size());
  const auto size = axis ? (*shape)[*axis].size() : std::nullopt;
  const std::int64_t step = steps ? steps->front() : 1;
  if (!size || step < 1) return std::nullopt;
  const auto within = [&](std::int64_t place) {
    return std::clamp<std::int64_t>(place < 0 ? place + *size : place, 0, *size);
  };
  const std::int64_t begin = within(starts->front());
  return AxisSlice{&slice, *axis, begin, std::max(begin, within(ends->front())), step, *size};
}

}  // namespace onnxpress::passes
