// Hashes all slices, row by row, until they all differ or the tensor ends.
#include "onnxpress/weights/lossless/equal_slices.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace onnxpress::weights {

namespace {

constexpr std::size_t kMostSlices = std::size_t{1} << 22;

bool all_differ(std::vector<std::uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end();
}

// One row holds a piece of each slice.
void add_row(std::string_view row, std::size_t piece, std::vector<std::uint64_t>& hashes) {
  constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15U;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    std::uint64_t content = 0;
    if (piece <= sizeof content) {
      std::memcpy(&content, row.data() + i * piece, piece);
    } else {
      content = XXH3_64bits(row.data() + i * piece, piece);
    }
    hashes[i] = (hashes[i] ^ content) * kPrime;
    hashes[i] ^= hashes[i] >> 29;
  }
}

// Most tensors have no equal slices, and the beginnings of their slices are enough to show it.
bool beginnings_differ(std::string_view row, std::size_t piece, std::size_t n) {
  constexpr std::size_t kBeginning = 64;
  if (piece <= kBeginning) return false;
  std::vector<std::uint64_t> hashes(n);
  for (std::size_t i = 0; i < n; ++i) hashes[i] = XXH3_64bits(row.data() + i * piece, kBeginning);
  return all_differ(std::move(hashes));
}

}  // namespace

std::vector<std::uint32_t> equal_slices(const Candidate& tensor, std::size_t axis, std::size_t end) {
  std::size_t n = 1;
  for (std::size_t i = axis; i < end; ++i) n *= static_cast<std::size_t>(tensor.dims()[i]);
  if (n < 2 || n > kMostSlices || tensor.count() == 0) return {};
  if (tensor.bytes().size() < 2 * n) return {};  // the number of a slice takes a byte as well
  std::size_t rows = 1;
  for (std::size_t i = 0; i < axis; ++i) rows *= static_cast<std::size_t>(tensor.dims()[i]);
  const std::string_view bytes = tensor.bytes().view();
  const std::size_t row = bytes.size() / rows, piece = row / n;
  if (beginnings_differ(bytes.substr(0, row), piece, n)) return {};

  std::vector<std::uint64_t> hashes(n, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    add_row(bytes.substr(i * row, row), piece, hashes);
    const bool ask = (i & (i + 1)) == 0 || i + 1 == rows;  // after 1, 2, 4, 8, ... rows
    if (ask && all_differ(hashes)) return {};
  }
  std::vector<std::uint32_t> numbers(n);
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  for (std::size_t i = 0; i < n; ++i)
    numbers[i] = seen.emplace(hashes[i], static_cast<std::uint32_t>(seen.size())).first->second;
  return numbers;
}

std::uint32_t period_of(const std::vector<std::uint32_t>& slices, std::size_t n) {
  const auto length = static_cast<std::uint32_t>(n);
  if (slices.empty()) return length;
  for (std::uint32_t period = 1; period <= length / 2; ++period) {
    if (length % period != 0) continue;
    const bool repeats = std::equal(slices.begin() + period, slices.end(), slices.begin());
    if (repeats) return period;
  }
  return length;
}

}  // namespace onnxpress::weights
