// Whole numbers that grow evenly along each axis: position ids, index grids, arange.
//
//   before: w[i, j] = c + a * i + b * j, int64, int32, or floats that are whole
//   after:  w = Add(Range(c, ..., a) as a column, Range(0, ..., b)), expanded where it does not grow
#include <cstdlib>
#include <vector>

#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

struct AffineGrid {
  std::int64_t first = 0;
  std::vector<std::int64_t> steps;  // by axis
};

// Only called for numbers that are far from the limits of int64, so nothing here overflows.
template <typename T>
std::optional<AffineGrid> grid_of(Elements<T> elements, std::span<const std::int64_t> dims) {
  const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(elements[i]); };
  AffineGrid grid{.first = at(0), .steps = std::vector<std::int64_t>(dims.size(), 0)};
  std::size_t stride = 1;
  for (std::size_t axis = dims.size(); axis-- > 0; stride *= static_cast<std::size_t>(dims[axis])) {
    if (dims[axis] > 1) grid.steps[axis] = at(stride) - grid.first;
  }
  std::vector<std::int64_t> place(dims.size(), 0);
  std::int64_t expected = grid.first;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (at(i) != expected) return std::nullopt;
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      expected += grid.steps[axis];
      if (++place[axis] < dims[axis]) break;
      expected -= grid.steps[axis] * place[axis];
      place[axis] = 0;
    }
  }
  return grid;
}

std::optional<AffineGrid> grid_of(const Candidate& tensor) {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  if (tensor.count() < 2 || !tensor.statistics().fits(-kFar, kFar)) return std::nullopt;
  switch (tensor.type()) {
    case ElementType::kInt64:
      return grid_of(tensor.elements<std::int64_t>(), tensor.dims());
    case ElementType::kInt32:
      return grid_of(tensor.elements<std::int32_t>(), tensor.dims());
    case ElementType::kFloat:
      return grid_of(tensor.elements<float>(), tensor.dims());
    case ElementType::kDouble:
      return grid_of(tensor.elements<double>(), tensor.dims());
    default:
      return std::nullopt;
  }
}

// Do the steps continue across rows, as in an arange that was reshaped? Then one Range is enough.
bool is_one_range(const AffineGrid& grid, std::span<const std::int64_t> dims) {
  std::int64_t step = 0;
  std::size_t axis = dims.size();
  for (std::int64_t covered = 1; axis-- > 0;) {
    if (dims[axis] == 1) continue;
    if (step == 0) step = grid.steps[axis];
    if (grid.steps[axis] != step * covered) return false;
    covered *= dims[axis];
  }
  return step != 0;
}

std::optional<Chain> find_affine(const Candidate& tensor) {
  if (tensor.statistics().is_splat || !tensor.has_op("Range", ElementType::kInt64)) return std::nullopt;
  const auto grid = grid_of(tensor);
  if (!grid) return std::nullopt;
  const std::size_t rank = tensor.dims().size();
  ChainBuilder chain(tensor);
  std::optional<Chain::Ref> sum;
  if (is_one_range(*grid, tensor.dims())) {
    std::int64_t step = 0;
    for (std::size_t axis = rank; axis-- > 0 && step == 0;) step = grid->steps[axis];
    sum = positions(chain, grid->first, static_cast<std::int64_t>(tensor.count()), step, 0, 1);
    if (rank != 1) sum = reshape(chain, *sum, tensor.dims());
  } else {
    std::int64_t first = grid->first;
    bool whole = true;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      whole = whole && (grid->steps[axis] != 0 && (axis > 0 || tensor.dims()[axis] > 1));
      if (grid->steps[axis] == 0) continue;
      const auto along = positions(chain, first, tensor.dims()[axis], grid->steps[axis], axis, rank);
      sum = sum ? chain.op("Add", {*sum, along}) : along;
      first = 0;
    }
    if (!sum) return std::nullopt;
    if (!whole) sum = chain.op("Expand", {*sum, chain.integers(tensor.dims())});
  }
  if (tensor.type() != ElementType::kInt64) cast(chain, *sum, tensor.type());
  return chain.finish();
}

}  // namespace

constinit const Encoding affine = {
    .name = "affine", .summary = "index grids: whole numbers that grow evenly along each axis", .find = find_affine};

}  // namespace onnxpress::weights
