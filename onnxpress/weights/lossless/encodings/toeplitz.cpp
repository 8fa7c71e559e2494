// Constant along diagonals: relative position tables, distances, bands.
//
//   before: w[i, j] = d[j - i]
//   after:  w = Gather(d, Add(Range(rows - 1, ..., -1) as a column, Range(0, columns)))
#include "onnxpress/weights/lossless/diagonals.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

std::optional<Chain> find_toeplitz(const Candidate& tensor) {
  if (!tensor.has_op("Range", ElementType::kInt64)) return std::nullopt;
  const auto diagonals = diagonals_of(tensor);
  if (!diagonals) return std::nullopt;
  ChainBuilder chain(tensor);
  const auto count = static_cast<std::int64_t>(diagonals->count());
  const auto values = chain.constant(tensor.type(), std::span(&count, 1), Bytes::owned(diagonals->elements));
  chain.op("Gather", {values, diagonal_numbers(chain, tensor, *diagonals)});
  return chain.finish();
}

}  // namespace

constinit const Encoding toeplitz = {
    .name = "toeplitz", .summary = "matrices that are constant along diagonals", .find = find_toeplitz};

}  // namespace onnxpress::weights
