// Patterns in the zeros of a weight: blocks, N of M, whole rows and columns.
#pragma once

#include <cstdint>
#include <vector>

namespace onnxpress::analysis {

// The nonzeros of a weight as a stack of matrices: one bit for each element, rows padded to words. A kernel of a
// convolution has one matrix [out, in] for each position in its window.
class BitMatrices {
 public:
  BitMatrices(std::size_t matrices, std::size_t rows, std::size_t columns);

  std::size_t matrices() const { return matrices_; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t words() const { return words_; }  // of one row
  std::uint64_t* row(std::size_t matrix, std::size_t row) { return &bits_[(matrix * rows_ + row) * words_]; }
  const std::uint64_t* row(std::size_t matrix, std::size_t row) const {
    return &bits_[(matrix * rows_ + row) * words_];
  }
  void set(std::size_t matrix, std::size_t row_number, std::size_t column) {
    row(matrix, row_number)[column / 64] |= std::uint64_t{1} << (column % 64);
  }

 private:
  std::size_t matrices_, rows_, columns_, words_;
  std::vector<std::uint64_t> bits_;
};

struct BlockPattern {
  std::uint64_t rows = 1, columns = 1;
  double ratio = 0;  // share of the blocks that are zero
};

// At most `most` of every `of` neighbours along an axis are nonzero; 0 when there is no such pattern.
struct GroupPattern {
  std::uint64_t most = 0, of = 0;
  int axis = 0;
};

// The largest block (rows and columns that divide those of the matrix) for which nearly as many blocks are zero as
// elements (at least `zero_ratio` minus 0.1, like onnx-tool).
BlockPattern block_pattern(const BitMatrices& bits, double zero_ratio);
// The strictest N of M for M = 4, 8, 16 and 2, along columns or rows.
GroupPattern group_pattern(const BitMatrices& bits);

struct ZeroLines {
  std::uint64_t rows = 0, columns = 0;  // rows and columns that are zero in all matrices
};
ZeroLines zero_lines(const BitMatrices& bits);

}  // namespace onnxpress::analysis
