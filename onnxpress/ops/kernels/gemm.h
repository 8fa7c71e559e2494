// Matrix products: c = a * b for float, double and 8-bit integers, blocked for the caches, on all cores, for factors
// with any strides or made on the fly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace onnxpress::ops {

// A part of a factor. Its lanes are the rows of a left factor, or the columns of a right one; its depth is the axis
// that is summed over.
struct PanelBlock {
  std::size_t depth, depths;  // begin and count
  std::size_t lane, lanes;
  std::size_t width;  // lanes per panel

  std::size_t panels() const { return (lanes + width - 1) / width; }
};

// Where the numbers of one factor come from.
template <typename T>
class Factor {
 public:
  virtual ~Factor() = default;
  // Writes panel after panel: for each depth `width` numbers, one per lane, 0 for lanes beyond the last.
  virtual void pack(const PanelBlock& block, T* panels) const = 0;
};

// A matrix in memory; strides are in elements and may be anything.
template <typename T>
struct Matrix {
  const T* data = nullptr;
  std::ptrdiff_t row_stride = 0, column_stride = 1;

  Matrix transposed() const { return {data, column_stride, row_stride}; }
};

// A matrix of 8-bit integers, of which zero points are taken away; the results are exact.
struct IntegerMatrix {
  const void* data = nullptr;
  bool is_signed = false;
  std::ptrdiff_t row_stride = 0, column_stride = 1;
  std::int32_t zero = 0;
  const std::int32_t* zeros = nullptr;  // one per row of a left factor or column of a right one, instead of `zero`
};

struct GemmOptions {
  bool accumulate = false;  // c += a * b
  bool parallel = true;     // false inside a parallel_for
};

struct GemmSizes {
  std::size_t rows, columns, depth;
};

// c has rows of `stride` elements, at least sizes.columns.
void gemm(GemmSizes sizes, Matrix<float> a, Matrix<float> b, float* c, std::size_t stride, GemmOptions options = {});
void gemm(GemmSizes sizes, Matrix<double> a, Matrix<double> b, double* c, std::size_t stride, GemmOptions options = {});
void gemm(GemmSizes sizes, IntegerMatrix a, IntegerMatrix b, std::int32_t* c, std::size_t stride,
          GemmOptions options = {});
// The same with a right factor that is made on the fly.
void gemm(GemmSizes sizes, Matrix<float> a, const Factor<float>& b, float* c, std::size_t stride,
          GemmOptions options = {});
void gemm(GemmSizes sizes, Matrix<double> a, const Factor<double>& b, double* c, std::size_t stride,
          GemmOptions options = {});
// Factors hold integers of -255 to 255: what is left of 8-bit integers after the zero point is taken away.
void gemm(GemmSizes sizes, IntegerMatrix a, const Factor<float>& b, std::int32_t* c, std::size_t stride,
          GemmOptions options = {});

// Below this many multiplications starting a thread costs more than it saves (measured: about 30 us against 20 G/s).
inline constexpr std::size_t kParallelWork = std::size_t{1} << 20;

// Calls `one(i, parallel)` for each of several products of `work` multiplications: spread over the cores by product, or
// one after the other with each spread.
void for_each_product(std::size_t products, std::size_t work, const std::function<void(std::size_t, bool)>& one);

}  // namespace onnxpress::ops
