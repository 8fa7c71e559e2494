// Which elements of a tensor are zero, as bits: the data is read only once for all questions about sparsity.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::analysis {

// Elements have `width` bytes (1, 2, 4 or 8). An element is zero if it equals `zero` under `mask`; for floats, which
// have two zeros, the mask leaves out the sign.
struct ZeroRule {
  std::size_t width = 4;
  std::uint64_t mask = ~std::uint64_t{0}, zero = 0;
};

// Sets bit i % 64 of word i / 64 for each of the `count` elements that is not zero, and clears the other bits of those
// words. Returns the number of zeros. `data` need not be aligned.
std::size_t find_nonzeros(const std::byte* data, std::size_t count, const ZeroRule& rule, std::uint64_t* words);

}  // namespace onnxpress::analysis
