// Finds blocks of zeros by merging the bits of neighbouring columns and rows.
#include "onnxpress/analysis/sparsity/patterns.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace onnxpress::analysis {

namespace {

constexpr double kTolerance = 0.1;
constexpr std::size_t kSampleRows = 256;  // enough to reject weights that are far from any pattern

// Joins every `columns` bits of a row into one, which is set if any of them is.
BitMatrices joined_columns(const BitMatrices& bits, std::size_t columns) {
  BitMatrices out(bits.matrices(), bits.rows(), bits.columns() / columns);
  for (std::size_t m = 0; m < bits.matrices(); ++m) {
    for (std::size_t r = 0; r < bits.rows(); ++r) {
      const std::uint64_t* row = bits.row(m, r);
      for (std::size_t w = 0; w < bits.words(); ++w) {
        for (std::uint64_t left = row[w]; left != 0; left &= left - 1)
          out.set(m, r, (w * 64 + static_cast<std::size_t>(std::countr_zero(left))) / columns);
      }
    }
  }
  return out;
}

BitMatrices joined_rows(const BitMatrices& bits, std::size_t rows) {
  BitMatrices out(bits.matrices(), bits.rows() / rows, bits.columns());
  for (std::size_t m = 0; m < bits.matrices(); ++m) {
    for (std::size_t r = 0; r < bits.rows(); ++r) {
      std::uint64_t* to = out.row(m, r / rows);
      for (std::size_t w = 0; w < bits.words(); ++w) to[w] |= bits.row(m, r)[w];
    }
  }
  return out;
}

double zero_ratio_of(const BitMatrices& bits) {
  std::uint64_t set = 0;
  for (std::size_t m = 0; m < bits.matrices(); ++m) {
    for (std::size_t r = 0; r < bits.rows(); ++r) {
      for (std::size_t w = 0; w < bits.words(); ++w) set += static_cast<unsigned>(std::popcount(bits.row(m, r)[w]));
    }
  }
  const double all = static_cast<double>(bits.matrices()) * static_cast<double>(bits.rows() * bits.columns());
  return all == 0 ? 0 : 1 - static_cast<double>(set) / all;
}

BitMatrices first_rows(const BitMatrices& bits, std::size_t rows) {
  BitMatrices out(1, rows, bits.columns());
  for (std::size_t r = 0; r < rows; ++r) std::copy_n(bits.row(0, r), bits.words(), out.row(0, r));
  return out;
}

std::vector<std::size_t> primes_of(std::size_t number) {
  std::vector<std::size_t> primes;
  for (std::size_t p = 2; p * p <= number; ++p) {
    if (number % p != 0) continue;
    primes.push_back(p);
    while (number % p == 0) number /= p;
  }
  if (number > 1) primes.push_back(number);
  return primes;
}

struct Size {
  std::size_t size;
  BitMatrices joined;
  double ratio;
};

// All lengths for which enough blocks are zero. A block of zeros consists of smaller ones, so only multiples of lengths
// that pass can pass.
std::vector<Size> passing(const BitMatrices& bits, double least, bool columns) {
  const auto join = [columns](const BitMatrices& from, std::size_t by) {
    return columns ? joined_columns(from, by) : joined_rows(from, by);
  };
  std::vector<Size> found;
  const std::size_t length = columns ? bits.columns() : bits.rows();
  for (std::size_t at = 0; at <= found.size(); ++at) {
    const std::size_t base = at == 0 ? 1 : found[at - 1].size;
    for (const std::size_t prime : primes_of(length / base)) {
      const std::size_t size = base * prime;
      if (std::ranges::any_of(found, [size](const Size& each) { return each.size == size; })) continue;
      const BitMatrices& from = at == 0 ? bits : found[at - 1].joined;
      const std::size_t sample = kSampleRows / prime * prime;
      if (from.rows() > 2 * sample && sample > 0 && zero_ratio_of(join(first_rows(from, sample), prime)) < least - 0.1)
        continue;
      BitMatrices joined = join(from, prime);
      const double ratio = zero_ratio_of(joined);
      if (ratio > least) found.push_back({size, std::move(joined), ratio});
    }
  }
  return found;
}

// The largest number of set bits among `of` neighbours in a row; stops early when all of them are set.
std::uint64_t most_in_row_groups(const BitMatrices& bits, std::uint64_t of) {
  const std::uint64_t mask = (std::uint64_t{1} << of) - 1;
  std::uint64_t most = 0;
  for (std::size_t m = 0; m < bits.matrices(); ++m) {
    for (std::size_t r = 0; r < bits.rows(); ++r) {
      for (std::size_t w = 0; w < bits.words(); ++w) {
        for (std::uint64_t left = bits.row(m, r)[w]; left != 0; left >>= of)
          most = std::max<std::uint64_t>(most, static_cast<unsigned>(std::popcount(left & mask)));
        if (most == of) return most;
      }
    }
  }
  return most;
}

std::uint64_t most_in_column_groups(const BitMatrices& bits, std::uint64_t of) {
  std::uint64_t most = 0;
  std::vector<std::uint8_t> counts(64);
  for (std::size_t m = 0; m < bits.matrices(); ++m) {
    for (std::size_t r = 0; r + of <= bits.rows(); r += of) {
      for (std::size_t w = 0; w < bits.words(); ++w) {
        std::ranges::fill(counts, 0);
        for (std::size_t k = 0; k < of; ++k) {
          for (std::uint64_t left = bits.row(m, r + k)[w]; left != 0; left &= left - 1)
            ++counts[static_cast<std::size_t>(std::countr_zero(left))];
        }
        most = std::max<std::uint64_t>(most, std::ranges::max(counts));
        if (most == of) return most;
      }
    }
  }
  return most;
}

}  // namespace

BitMatrices::BitMatrices(std::size_t matrices, std::size_t rows, std::size_t columns)
    : matrices_(matrices),
      rows_(rows),
      columns_(columns),
      words_((columns + 63) / 64),
      bits_(matrices * rows * ((columns + 63) / 64)) {}

BlockPattern block_pattern(const BitMatrices& bits, double zero_ratio) {
  BlockPattern best{1, 1, zero_ratio};
  const auto take = [&best](std::uint64_t rows, std::uint64_t columns, double ratio) {
    const std::uint64_t area = rows * columns, before = best.rows * best.columns;
    if (area > before || (area == before && ratio > best.ratio)) best = {rows, columns, ratio};
  };
  const double least = std::max(0.0, zero_ratio - kTolerance);
  const std::vector<Size> wide = passing(bits, least, true), high = passing(bits, least, false);
  for (const Size& each : wide) take(1, each.size, each.ratio);
  for (const Size& each : high) take(each.size, 1, each.ratio);
  for (const Size& w : wide) {
    for (const Size& h : high) {
      if (w.size * h.size <= best.rows * best.columns) continue;
      if (const double ratio = zero_ratio_of(joined_rows(w.joined, h.size)); ratio > least) take(h.size, w.size, ratio);
    }
  }
  return best;
}

GroupPattern group_pattern(const BitMatrices& bits) {
  GroupPattern best;
  for (const std::uint64_t of : {4u, 8u, 16u, 2u}) {
    for (const int axis : {1, 0}) {
      if ((axis == 1 ? bits.columns() : bits.rows()) % of != 0) continue;
      const std::uint64_t most = axis == 1 ? most_in_row_groups(bits, of) : most_in_column_groups(bits, of);
      if (most < of && most > 0 && (best.of == 0 || most * best.of < best.most * of)) best = {most, of, axis};
    }
  }
  return best;
}

ZeroLines zero_lines(const BitMatrices& bits) {
  ZeroLines zero;
  std::vector<std::uint64_t> columns(bits.words(), 0);
  for (std::size_t r = 0; r < bits.rows(); ++r) {
    std::uint64_t any = 0;
    for (std::size_t m = 0; m < bits.matrices(); ++m) {
      for (std::size_t w = 0; w < bits.words(); ++w) {
        any |= bits.row(m, r)[w];
        columns[w] |= bits.row(m, r)[w];
      }
    }
    if (any == 0) ++zero.rows;
  }
  std::uint64_t used = 0;
  for (const std::uint64_t word : columns) used += static_cast<unsigned>(std::popcount(word));
  zero.columns = bits.columns() - used;
  return zero;
}

}  // namespace onnxpress::analysis
