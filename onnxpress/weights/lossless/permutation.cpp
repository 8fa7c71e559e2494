// Tries the orders of the axes that give the right dims, and the transposes of two groups of axes.
#include "onnxpress/weights/lossless/permutation.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace onnxpress::weights {

namespace {

constexpr std::size_t kMostAxes = 5;

// Walks `to` in its order and compares each element with the one of `from` that Transpose puts there.
bool gives(std::string_view from, std::string_view to, const Permutation& way, std::size_t width) {
  const std::size_t rank = way.dims.size();
  std::vector<std::size_t> strides(rank, width), step(rank), size(rank), at(rank, 0);
  for (std::size_t axis = rank; axis-- > 1;)
    strides[axis - 1] = strides[axis] * static_cast<std::size_t>(way.dims[axis]);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    step[axis] = strides[static_cast<std::size_t>(way.order[axis])];
    size[axis] = static_cast<std::size_t>(way.dims[static_cast<std::size_t>(way.order[axis])]);
  }
  std::size_t source = 0;
  for (std::size_t place = 0; place < to.size(); place += width) {
    if (std::memcmp(to.data() + place, from.data() + source, width) != 0) return false;
    for (std::size_t axis = rank; axis-- > 0;) {
      source += step[axis];
      if (++at[axis] < size[axis]) break;
      source -= step[axis] * size[axis];
      at[axis] = 0;
    }
  }
  return true;
}

std::optional<Permutation> own_axes(std::string_view from, std::span<const std::int64_t> from_dims, std::string_view to,
                                    std::span<const std::int64_t> to_dims, std::size_t width) {
  if (from_dims.size() != to_dims.size() || from_dims.size() > kMostAxes) return std::nullopt;
  Permutation way{{from_dims.begin(), from_dims.end()}, std::vector<std::int64_t>(from_dims.size())};
  std::iota(way.order.begin(), way.order.end(), 0);
  while (std::next_permutation(way.order.begin(), way.order.end())) {
    const bool fits = std::equal(
        way.order.begin(), way.order.end(), to_dims.begin(),
        [&](std::int64_t axis, std::int64_t dim) { return from_dims[static_cast<std::size_t>(axis)] == dim; });
    if (fits && gives(from, to, way, width)) return way;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Permutation> permutation_between(std::string_view from, std::span<const std::int64_t> from_dims,
                                               std::string_view to, std::span<const std::int64_t> to_dims,
                                               std::size_t width) {
  if (from.size() != to.size() || from.empty() || from_dims.empty()) return std::nullopt;
  if (auto way = own_axes(from, from_dims, to, to_dims, width)) return way;
  const auto count = static_cast<std::int64_t>(from.size() / width);
  std::int64_t rows = 1;
  for (std::size_t split = 1; split < from_dims.size(); ++split) {
    rows *= from_dims[split - 1];
    if (rows == 1 || rows == count) continue;
    Permutation way{{rows, count / rows}, {1, 0}};
    if (gives(from, to, way, width)) return way;
  }
  return std::nullopt;
}

}  // namespace onnxpress::weights
