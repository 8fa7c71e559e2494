// Some slices along an axis are the same: relative position tables, padded embeddings.
//
//   before: w, dims [a, n], n columns of which u are different
//   after:  w = Gather(columns, numbers) <axis = 1>, columns [a, u], numbers [n]
#include <algorithm>

#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/lossless/equal_slices.h"
#include "onnxpress/weights/lossless/sub_tensor.h"

namespace onnxpress::weights {

namespace {

// The first slice of each number.
std::vector<std::uint32_t> first_of_each(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint32_t> first;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == first.size()) first.push_back(static_cast<std::uint32_t>(i));
  }
  return first;
}

struct Repeated {
  std::vector<std::uint32_t> numbers;
  std::size_t axis = 0, end = 0;  // the axes whose slices repeat, taken as one
  double share = 1;               // of the slices that are stored
};

// The best of all axes, and of the last axes taken together.
Repeated most_repeated(const Candidate& tensor) {
  Repeated best;
  const std::size_t rank = tensor.dims().size();
  const auto look = [&](std::size_t axis, std::size_t end) {
    std::vector<std::uint32_t> numbers = equal_slices(tensor, axis, end);
    if (numbers.empty()) return;
    const double different = *std::max_element(numbers.begin(), numbers.end()) + 1.0;
    const double share = different / static_cast<double>(numbers.size());
    if (share < best.share) best = {std::move(numbers), axis, end, share};
  };
  for (std::size_t axis = 0; axis < rank; ++axis) look(axis, axis + 1);
  for (std::size_t axis = 1; axis + 1 < rank; ++axis) look(axis, rank);
  return best;
}

std::optional<Chain> find_repeated_slices(const Candidate& tensor) {
  if (tensor.statistics().is_splat || !tensor.has_op("Gather", tensor.type())) return std::nullopt;
  const Repeated repeated = most_repeated(tensor);
  if (repeated.numbers.empty()) return std::nullopt;
  const auto dims = tensor.dims();
  std::vector<std::int64_t> merged(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(repeated.axis));
  merged.push_back(static_cast<std::int64_t>(repeated.numbers.size()));
  merged.insert(merged.end(), dims.begin() + static_cast<std::ptrdiff_t>(repeated.end), dims.end());
  std::vector<std::vector<std::uint32_t>> taken(merged.size());
  taken[repeated.axis] = first_of_each(repeated.numbers);
  ChainBuilder chain(tensor);
  const auto part = std::make_shared<SubTensor>(tensor, std::move(merged), std::move(taken));
  const auto stored = chain.constant(tensor.type(), part->dims(), part);
  const auto numbers = indices(chain, repeated.numbers, dims.subspan(repeated.axis, repeated.end - repeated.axis));
  chain.op("Gather", {stored, numbers}, {chain.attribute("axis", static_cast<std::int64_t>(repeated.axis))});
  return chain.finish();
}

}  // namespace

constinit const Encoding repeated_slices = {
    .name = "repeated-slices", .summary = "tensors with equal rows, columns or slices", .find = find_repeated_slices};

}  // namespace onnxpress::weights
