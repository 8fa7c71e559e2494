// One value on a diagonal and another elsewhere: identity matrices.
//
//   before: w[i, j] = j - i == k ? a : b
//   after:  w = Gather([b, a], Cast(Equal(j - i, k)))
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/diagonals.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_eye(const Candidate& tensor) {
  if (tensor.statistics().distinct.size() != 2 || !tensor.has_op("Range", ElementType::kInt64)) return std::nullopt;
  const auto diagonals = diagonals_of(tensor);
  if (!diagonals || diagonals->count() < 3) return std::nullopt;
  // At least two of the first three diagonals have the same element, and all but one must have it.
  const std::string_view most = diagonals->at(0) == diagonals->at(1) || diagonals->at(0) == diagonals->at(2)
                                    ? diagonals->at(0)
                                    : diagonals->at(1);
  std::size_t place = 0, others = 0;
  for (std::size_t i = 0; i < diagonals->count(); ++i) {
    if (diagonals->at(i) == most) continue;
    place = i;
    ++others;
  }
  if (others != 1) return std::nullopt;
  ChainBuilder chain(tensor);
  const auto numbers = diagonal_numbers(chain, tensor, *diagonals);
  const auto on = chain.op("Equal", {numbers, scalar(chain, static_cast<std::int64_t>(place))});
  choose(chain, tensor, most, diagonals->at(place), on);
  return chain.finish();
}

}  // namespace

constinit const Encoding eye = {
    .name = "eye", .summary = "matrices with one value on a diagonal and another elsewhere", .find = find_eye};

}  // namespace onnxpress::weights
