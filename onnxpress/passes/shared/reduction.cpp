// Axes of reductions.
#include "onnxpress/passes/shared/reduction.h"

#include <algorithm>
#include <numeric>

namespace onnxpress::passes {

std::optional<std::vector<std::size_t>> reduced_axes(const Node& reduction, const Rewriter& rw) {
  const auto params = rw.params(reduction);
  const auto shape = rw.shape_of(reduction.input(0));
  const auto named = params.integers("axes");
  if (!shape || (params.given("axes") && !named)) return std::nullopt;
  if (named && !named->empty()) {
    auto axes = ops::normal_axes(*named, shape->size());
    if (axes) std::ranges::sort(*axes);
    return axes;
  }
  if (params.flag("noop_with_empty_axes")) return std::vector<std::size_t>();
  std::vector<std::size_t> all(shape->size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

bool keeps_axes(const Node& reduction, const Rewriter& rw) {
  return rw.params(reduction).integer_or("keepdims", 1) == 1;
}

std::optional<std::int64_t> trailing_axis(const Node& reduction, const Rewriter& rw) {
  if (!keeps_axes(reduction, rw)) return std::nullopt;
  const auto shape = rw.shape_of(reduction.input(0));
  if (!shape) {
    const auto named = rw.params(reduction).integers("axes");
    return named == std::vector<std::int64_t>{-1} ? std::optional<std::int64_t>(-1) : std::nullopt;
  }
  const auto axes = reduced_axes(reduction, rw);
  if (!axes || axes->empty() || axes->back() + 1 != shape->size() || axes->back() - axes->front() + 1 != axes->size())
    return std::nullopt;
  return -static_cast<std::int64_t>(axes->size());
}

Value* in_trailing_shape(Value* scale, const Value* x, std::int64_t axis, Rewriter& rw) {
  const auto shape = rw.shape_of(scale), all = rw.shape_of(x);
  if (!shape || !all) return nullptr;
  const auto count = static_cast<std::size_t>(-axis);
  if (count > all->size() || shape->size() < count || shape->size() > all->size()) return nullptr;
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const std::size_t from_end = shape->size() - i;
    const auto size = (*shape)[i].size();
    if (from_end > count ? size != 1 : !rw.dims().equal((*shape)[i], (*all)[all->size() - from_end])) return nullptr;
    if (from_end <= count) dims.push_back(size.value_or(-1));
  }
  if (shape->size() == count) return scale;
  return rw.is_constant(scale) ? rw.reshaped(scale, dims) : nullptr;
}

}  // namespace onnxpress::passes
