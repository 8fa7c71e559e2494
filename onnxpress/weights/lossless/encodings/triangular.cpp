// One value above a diagonal and another below: causal masks.
//
//   before: w[i, j] = j - i < k ? a : b
//   after:  w = Gather([b, a], Cast(Less(j - i, k)))
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/diagonals.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_triangular(const Candidate& tensor) {
  if (tensor.statistics().distinct.size() != 2 || !tensor.has_op("Range", ElementType::kInt64)) return std::nullopt;
  const auto diagonals = diagonals_of(tensor);
  if (!diagonals) return std::nullopt;
  std::size_t step = 1;
  while (diagonals->at(step) == diagonals->at(0)) ++step;
  for (std::size_t i = step; i < diagonals->count(); ++i) {
    if (diagonals->at(i) != diagonals->at(step)) return std::nullopt;
  }
  ChainBuilder chain(tensor);
  const auto numbers = diagonal_numbers(chain, tensor, *diagonals);
  const auto below = chain.op("Less", {numbers, scalar(chain, static_cast<std::int64_t>(step))});
  choose(chain, tensor, diagonals->at(step), diagonals->at(0), below);
  return chain.finish();
}

}  // namespace

constinit const Encoding triangular = {.name = "triangular",
                                       .summary = "masks with one value above a diagonal and another below",
                                       .find = find_triangular};

}  // namespace onnxpress::weights
