// Patterns of zeros: blocks of any size, N of M, whole rows and columns; and the bit masks in which they are found.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "onnxpress/analysis/sparsity/patterns.h"
#include "onnxpress/analysis/sparsity/zero_bits.h"

namespace onnxpress::analysis {
namespace {

template <typename Filled>
BitMatrices matrix(std::size_t rows, std::size_t columns, Filled filled) {
  BitMatrices bits(1, rows, columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (filled(r, c)) bits.set(0, r, c);
    }
  }
  return bits;
}

double zeros_of(const BitMatrices& bits) {
  std::size_t set = 0;
  for (std::size_t r = 0; r < bits.rows(); ++r) {
    for (std::size_t c = 0; c < bits.columns(); ++c) set += bits.row(0, r)[c / 64] >> (c % 64) & 1;
  }
  return 1 - static_cast<double>(set) / static_cast<double>(bits.rows() * bits.columns());
}

TEST(ZeroBits, EveryWidthAndLengthAgreesWithALoop) {
  std::mt19937 random(3);
  for (const std::size_t width : {1u, 2u, 4u, 8u}) {
    for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 200u, 1000u}) {
      std::vector<std::byte> data(count * width + 1);
      for (std::byte& each : data) each = static_cast<std::byte>(random() % 3 == 0 ? random() % 256 : 0);
      const ZeroRule rule{.width = width, .mask = ~(std::uint64_t{1} << (8 * width - 1))};
      std::vector<std::uint64_t> words((count + 63) / 64);
      const std::size_t zeros = find_nonzeros(data.data() + 1, count, rule, words.data());  // not aligned
      std::size_t expected = 0;
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t element = 0;
        std::memcpy(&element, data.data() + 1 + i * width, width);
        const bool zero =
            (element & rule.mask & (width == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * width)) - 1)) == 0;
        expected += zero ? 1 : 0;
        EXPECT_EQ((words[i / 64] >> (i % 64) & 1) == 0, zero) << width << " " << i;
      }
      EXPECT_EQ(zeros, expected);
    }
  }
}

TEST(Sparsity, FindsBlocksThatAreNoPowersOfTwo) {
  std::mt19937 random(5);
  for (const auto& [rows, columns] : {std::pair(3, 5), {1, 6}, {7, 1}, {2, 3}, {4, 4}}) {
    std::vector<bool> filled(500 * 500);
    for (std::size_t i = 0; i < filled.size(); ++i) filled[i] = random() % 4 == 0;
    const auto h = static_cast<std::size_t>(rows), w = static_cast<std::size_t>(columns);
    const BitMatrices bits = matrix(420 / h * h, 420 / w * w, [&](std::size_t r, std::size_t c) {
      return filled[(r / h * 500 + c / w) % filled.size()];
    });
    const BlockPattern found = block_pattern(bits, zeros_of(bits));
    EXPECT_EQ(found.rows, h);
    EXPECT_EQ(found.columns, w);
  }
}

TEST(Sparsity, UnstructuredZerosHaveNoBlocks) {
  std::mt19937 random(9);
  const BitMatrices bits = matrix(64, 96, [&](std::size_t, std::size_t) { return random() % 5 == 0; });
  const BlockPattern found = block_pattern(bits, zeros_of(bits));
  EXPECT_EQ(found.rows * found.columns, 1u);
  EXPECT_NEAR(found.ratio, 0.8, 0.05);
}

TEST(Sparsity, FindsTwoOfFourAlongEitherAxis) {
  const BitMatrices wide = matrix(8, 64, [](std::size_t r, std::size_t c) { return (c % 4 + r) % 4 < 2; });
  const GroupPattern along_rows = group_pattern(wide);
  EXPECT_EQ(along_rows.most, 2u);
  EXPECT_EQ(along_rows.of, 4u);
  const BitMatrices high = matrix(64, 7, [](std::size_t r, std::size_t c) { return (r * 7 + c * 3) % 4 == 0; });
  const GroupPattern along_columns = group_pattern(high);
  EXPECT_EQ(along_columns.axis, 0);
  EXPECT_EQ(along_columns.most * 4, along_columns.of);
  EXPECT_EQ(group_pattern(matrix(8, 8, [](std::size_t r, std::size_t c) { return r != 3 || c > 1; })).of, 0u);
}

TEST(Sparsity, CountsWholeRowsAndColumns) {
  const BitMatrices bits = matrix(10, 70, [](std::size_t r, std::size_t c) { return r % 3 != 0 && c != 69; });
  const ZeroLines found = zero_lines(bits);
  EXPECT_EQ(found.rows, 4u);
  EXPECT_EQ(found.columns, 1u);
}

}  // namespace
}  // namespace onnxpress::analysis
