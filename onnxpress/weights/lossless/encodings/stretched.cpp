// Each element is repeated several times in a row: 0 0 0 1 1 1 2 2 2.
//
//   before: w, n elements, in runs of r
//   after:  w = Reshape(Expand(every r-th element, [n / r, r]), dims)
#include <numeric>

#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/bit_patterns.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

// The largest r such that every run of equal elements begins at a multiple of r.
std::uint64_t run_of(const Candidate& tensor) {
  return with_words(tensor, [](auto words) {
    std::uint64_t run = words.size();
    for (std::size_t i = 1; i < words.size() && run > 1; ++i) {
      if (words[i] != words[i - 1]) run = std::gcd(run, i);
    }
    return run;
  });
}

std::optional<Chain> find_stretched(const Candidate& tensor) {
  if (tensor.count() < 2 || tensor.statistics().is_splat || !tensor.has_op("Expand", tensor.type()))
    return std::nullopt;
  const std::uint64_t run = run_of(tensor);
  if (run < 2) return std::nullopt;
  const std::uint64_t width = tensor.bytes().size() / tensor.count();
  std::string kept;
  for (std::uint64_t i = 0; i < tensor.count(); i += run) kept += tensor.bytes().view().substr(i * width, width);
  ChainBuilder chain(tensor);
  const auto runs = static_cast<std::int64_t>(tensor.count() / run);
  const std::int64_t column[] = {runs, 1}, wide[] = {runs, static_cast<std::int64_t>(run)};
  const auto stored = chain.constant(tensor.type(), column, Bytes::owned(std::move(kept)));
  reshape(chain, chain.op("Expand", {stored, chain.integers(wide)}), tensor.dims());
  return chain.finish();
}

}  // namespace

constinit const Encoding stretched = {
    .name = "stretched", .summary = "tensors whose elements are repeated in a row", .find = find_stretched};

}  // namespace onnxpress::weights
