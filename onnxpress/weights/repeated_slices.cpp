// Some slices along an axis are the same: relative position tables, padded embeddings.
//
//   before: w, dims [a, n], n columns of which u are different
//   after:  w = Gather(columns, numbers) <axis = 1>, columns [a, u], numbers [n]
#include <algorithm>

#include "onnxpress/weights/chain_parts.h"
#include "onnxpress/weights/encoding.h"
#include "onnxpress/weights/equal_slices.h"
#include "onnxpress/weights/sub_tensor.h"

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

std::optional<Chain> find(const Candidate& tensor) {
  if (tensor.statistics().is_splat || !tensor.has_op("Gather", tensor.type())) return std::nullopt;
  std::vector<std::uint32_t> best;
  std::size_t best_axis = 0;
  double best_share = 1;
  for (std::size_t axis = 0; axis < tensor.dims().size(); ++axis) {
    std::vector<std::uint32_t> numbers = equal_slices(tensor, axis);
    if (numbers.empty()) continue;
    const double different = *std::max_element(numbers.begin(), numbers.end()) + 1.0;
    if (different / static_cast<double>(numbers.size()) >= best_share) continue;
    best_share = different / static_cast<double>(numbers.size());
    best = std::move(numbers);
    best_axis = axis;
  }
  if (best.empty()) return std::nullopt;
  std::vector<std::vector<std::uint32_t>> taken(tensor.dims().size());
  taken[best_axis] = first_of_each(best);
  ChainBuilder chain(tensor);
  const auto part = std::make_shared<SubTensor>(tensor, std::move(taken));
  const auto stored = chain.constant(tensor.type(), part->dims(), part);
  const auto n = static_cast<std::int64_t>(best.size());
  const auto numbers = indices(chain, best, std::span(&n, 1));
  chain.op("Gather", {stored, numbers}, {chain.attribute("axis", static_cast<std::int64_t>(best_axis))});
  return chain.finish();
}

}  // namespace

constinit const Encoding repeated_slices = {
    .name = "repeated-slices", .summary = "tensors with equal rows, columns or slices", .find = find};

}  // namespace onnxpress::weights
