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

// The source of the numbers of one factor.
template <typename T>
class Factor {
 public:
  virtual ~Factor() = default;
  // Writes panel after panel: `width` numbers for each depth, one per lane, with 0 for lanes beyond the last.
  virtual void pack(const PanelBlock& block, T* panels) const = 0;
};

// A matrix in memory, with arbitrary strides in elements.
template <typename T>
struct Matrix {
  const T* data = nullptr;
  std::ptrdiff_t row_stride = 0, column_stride = 1;

  Matrix transposed() const { return {data, column_stride, row_stride}; }
};

// A matrix of 8-bit integers from which zero points are subtracted; the results are exact.
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
// The same with a right factor that is generated on the fly.
void gemm(GemmSizes sizes, Matrix<float> a, const Factor<float>& b, float* c, std::size_t stride,
          GemmOptions options = {});
void gemm(GemmSizes sizes, Matrix<double> a, const Factor<double>& b, double* c, std::size_t stride,
          GemmOptions options = {});
// Factors hold integers from -255 to 255: 8-bit integers minus a zero point.
void gemm(GemmSizes sizes, IntegerMatrix a, const Factor<float>& b, std::int32_t* c, std::size_t stride,
          GemmOptions options = {});

// Below this many multiplications, starting a thread costs more than it saves (measured: about 30 us against 20 G/s).
inline constexpr std::size_t kParallelWork = std::size_t{1} << 20;

// Calls `one(i, parallel)` for each of several products of `work` multiplications: either the products are distributed
// over the cores, or they run one after the other and each uses all cores.
void for_each_product(std::size_t products, std::size_t work, const std::function<void(std::size_t, bool)>& one);

}  // namespace onnxpress::ops
