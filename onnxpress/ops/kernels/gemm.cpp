// Cuts products into blocks that fit the caches, packs the factors of each block, and calls the kernel to multiply
// them.
#include "onnxpress/ops/kernels/gemm.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/kernels/gemm_kernel.h"

namespace onnxpress::ops {

namespace {

// A packed left block takes 96 KB and a packed right one 512 KB (floats), so they fit in the second and third level
// caches. kBlockDepth also keeps sums of 8-bit products exact in a float: 256 * 255 * 255 < 2^24.
constexpr std::size_t kBlockRows = 96, kBlockColumns = 512, kBlockDepth = 256;
static_assert(kBlockRows % kPanelRows == 0);
// Rows that share one packed copy of the right factor.
constexpr std::size_t kTaskRows = 8 * kBlockRows;
// With at most this many rows, the right factor is read in place: packing would cost as much as multiplying.
constexpr std::size_t kFewRows = 3;

template <typename T>
class PanelBuffer {
 public:
  explicit PanelBuffer(std::size_t count)
      : data_(static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(64)))) {}
  ~PanelBuffer() { ::operator delete(data_, std::align_val_t(64)); }
  PanelBuffer(const PanelBuffer&) = delete;
  PanelBuffer& operator=(const PanelBuffer&) = delete;
  T* data() { return data_; }

 private:
  T* data_;
};

// A factor in memory: numbers of type Source, minus a zero point if they are integers.
template <typename T, typename Source>
class StridedFactor : public Factor<T> {
 public:
  StridedFactor(const Source* data, std::ptrdiff_t depth_stride, std::ptrdiff_t lane_stride, std::int32_t zero = 0,
                const std::int32_t* zeros = nullptr)
      : data_(data), depth_stride_(depth_stride), lane_stride_(lane_stride), zero_(zero), zeros_(zeros) {}

  void pack(const PanelBlock& block, T* panels) const override {
    for (std::size_t lane = 0; lane < block.lanes; lane += block.width) {
      const std::size_t lanes = std::min(block.width, block.lanes - lane);
      pack_panel(block, block.lane + lane, lanes, panels);
      panels += block.width * block.depths;
    }
  }

 private:
  void pack_panel(const PanelBlock& block, std::size_t lane, std::size_t lanes, T* out) const {
    const Source* from = data_ + static_cast<std::ptrdiff_t>(block.depth) * depth_stride_ +
                         static_cast<std::ptrdiff_t>(lane) * lane_stride_;
    if (lanes < block.width) std::fill(out, out + block.width * block.depths, T(0));
    if (lane_stride_ == 1 && !zeros_) {
      for (std::size_t i = 0; i < block.depths; ++i, from += depth_stride_, out += block.width) copy(from, lanes, out);
      return;
    }
    for (std::size_t k = 0; k < lanes; ++k) {
      const Source* at = from + static_cast<std::ptrdiff_t>(k) * lane_stride_;
      const std::int32_t zero = zeros_ ? zeros_[lane + k] : zero_;
      T* to = out + k;
      for (std::size_t i = 0; i < block.depths; ++i, at += depth_stride_, to += block.width) *to = number(*at, zero);
    }
  }
  void copy(const Source* from, std::size_t count, T* to) const {
    if constexpr (std::is_same_v<T, Source>) {
      std::copy(from, from + count, to);
    } else {
      widen(count, from, zero_, to);
    }
  }
  static T number(Source value, std::int32_t zero) {
    if constexpr (std::is_same_v<T, Source>) {
      return value;
    } else {
      return static_cast<T>(static_cast<std::int32_t>(value) - zero);
    }
  }

  const Source* data_;
  std::ptrdiff_t depth_stride_, lane_stride_;
  std::int32_t zero_;
  const std::int32_t* zeros_;
};

std::size_t rounded_up(std::size_t count, std::size_t step) { return (count + step - 1) / step * step; }

void run(std::size_t count, bool parallel, const std::function<void(std::size_t)>& work) {
  if (parallel) return parallel_for(count, work);
  for (std::size_t i = 0; i < count; ++i) work(i);
}

// Computes one rectangle of the result on one thread.
template <typename T, typename Out>
void multiply_rectangle(const Factor<T>& left, const Factor<T>& right, std::size_t row, std::size_t rows,
                        std::size_t column, std::size_t columns, std::size_t depth, Out* c, std::size_t stride,
                        bool accumulate) {
  const std::size_t width = panel_columns(T());
  const std::size_t most_depth = std::min(depth, kBlockDepth);
  PanelBuffer<T> packed_left(rounded_up(std::min(rows, kBlockRows), kPanelRows) * most_depth);
  PanelBuffer<T> packed_right(rounded_up(columns, width) * most_depth);
  for (std::size_t d = 0; d < depth; d += kBlockDepth) {
    const std::size_t depths = std::min(kBlockDepth, depth - d);
    right.pack({d, depths, column, columns, width}, packed_right.data());
    for (std::size_t r = 0; r < rows; r += kBlockRows) {
      const std::size_t block_rows = std::min(kBlockRows, rows - r);
      left.pack({d, depths, row + r, block_rows, kPanelRows}, packed_left.data());
      multiply_packed(PackedBlock<T, Out>{block_rows, columns, depths, packed_left.data(), packed_right.data(),
                                          c + (row + r) * stride + column, stride, accumulate || d > 0});
    }
  }
}

template <typename T, typename Out>
void multiply(GemmSizes sizes, const Factor<T>& left, const Factor<T>& right, Out* c, std::size_t stride,
              GemmOptions options) {
  const std::size_t rows = sizes.rows, columns = sizes.columns, depth = sizes.depth;
  if (rows == 0 || columns == 0) return;
  if (depth == 0) {
    if (options.accumulate) return;
    for (std::size_t i = 0; i < rows; ++i) std::fill(c + i * stride, c + i * stride + columns, Out(0));
    return;
  }
  const bool parallel = options.parallel && rows * columns * depth >= kParallelWork;
  std::size_t task_rows = std::min(rows, kTaskRows), task_columns = std::min(columns, kBlockColumns);
  if (const std::size_t threads = parallel_width();
      parallel && (rows + task_rows - 1) / task_rows * ((columns + task_columns - 1) / task_columns) < threads) {
    if (columns >= rows) {
      task_columns = rounded_up((columns + threads - 1) / threads, panel_columns(T()));
    } else {
      task_rows = rounded_up((rows + threads - 1) / threads, kPanelRows);
    }
  }
  const std::size_t across = (columns + task_columns - 1) / task_columns, down = (rows + task_rows - 1) / task_rows;
  run(across * down, parallel, [&](std::size_t task) {
    const std::size_t row = task / across * task_rows, column = task % across * task_columns;
    multiply_rectangle(left, right, row, std::min(task_rows, rows - row), column,
                       std::min(task_columns, columns - column), depth, c, stride, options.accumulate);
  });
}

// A few rows times a matrix whose numbers are each read once, in place.
template <typename T>
bool multiply_few_rows(GemmSizes sizes, Matrix<T> a, Matrix<T> b, T* c, std::size_t stride, GemmOptions options) {
  const std::size_t rows = sizes.rows, columns = sizes.columns, depth = sizes.depth;
  if (rows > kFewRows || depth == 0 || columns == 0) return false;
  const bool by_rows = b.column_stride == 1 && b.row_stride >= 0, by_columns = b.row_stride == 1;
  if (!by_rows && !by_columns) return false;
  std::vector<T> left(rows * depth);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < depth; ++k)
      left[i * depth + k] =
          a.data[static_cast<std::ptrdiff_t>(i) * a.row_stride + static_cast<std::ptrdiff_t>(k) * a.column_stride];
  }
  const bool parallel = options.parallel && columns * depth >= kParallelWork;
  const std::size_t chunk = parallel ? rounded_up((columns + parallel_width() - 1) / parallel_width(), 64) : columns;
  run((columns + chunk - 1) / chunk, parallel, [&](std::size_t task) {
    const std::size_t begin = task * chunk, end = std::min(columns, begin + chunk);
    for (std::size_t i = 0; i < rows; ++i) {
      const T* row = left.data() + i * depth;
      T* to = c + i * stride;
      if (by_rows) {
        multiply_row(depth, end - begin, row, b.data + begin, static_cast<std::size_t>(b.row_stride), to + begin,
                     options.accumulate);
        continue;
      }
      for (std::size_t j = begin; j < end; ++j)
        to[j] = (options.accumulate ? to[j] : T(0)) +
                dot(depth, row, b.data + static_cast<std::ptrdiff_t>(j) * b.column_stride);
    }
  });
  return true;
}

template <typename T>
void multiply_matrices(GemmSizes sizes, Matrix<T> a, Matrix<T> b, T* c, std::size_t stride, GemmOptions options) {
  if (multiply_few_rows(sizes, a, b, c, stride, options)) return;
  multiply(sizes, StridedFactor<T, T>(a.data, a.column_stride, a.row_stride),
           StridedFactor<T, T>(b.data, b.row_stride, b.column_stride), c, stride, options);
}

std::unique_ptr<Factor<float>> factor_of(const IntegerMatrix& matrix, std::ptrdiff_t depth_stride,
                                         std::ptrdiff_t lane_stride) {
  if (matrix.is_signed)
    return std::make_unique<StridedFactor<float, std::int8_t>>(static_cast<const std::int8_t*>(matrix.data),
                                                               depth_stride, lane_stride, matrix.zero, matrix.zeros);
  return std::make_unique<StridedFactor<float, std::uint8_t>>(static_cast<const std::uint8_t*>(matrix.data),
                                                              depth_stride, lane_stride, matrix.zero, matrix.zeros);
}

}  // namespace

void gemm(GemmSizes sizes, Matrix<float> a, Matrix<float> b, float* c, std::size_t stride, GemmOptions options) {
  spend_steps(sizes.rows, sizes.columns, sizes.depth);
  multiply_matrices(sizes, a, b, c, stride, options);
}
void gemm(GemmSizes sizes, Matrix<double> a, Matrix<double> b, double* c, std::size_t stride, GemmOptions options) {
  spend_steps(sizes.rows, sizes.columns, sizes.depth);
  multiply_matrices(sizes, a, b, c, stride, options);
}
void gemm(GemmSizes sizes, IntegerMatrix a, IntegerMatrix b, std::int32_t* c, std::size_t stride, GemmOptions options) {
  spend_steps(sizes.rows, sizes.columns, sizes.depth);
  multiply(sizes, *factor_of(a, a.column_stride, a.row_stride), *factor_of(b, b.row_stride, b.column_stride), c, stride,
           options);
}
void gemm(GemmSizes sizes, Matrix<float> a, const Factor<float>& b, float* c, std::size_t stride, GemmOptions options) {
  spend_steps(sizes.rows, sizes.columns, sizes.depth);
  multiply<float>(sizes, StridedFactor<float, float>(a.data, a.column_stride, a.row_stride), b, c, stride, options);
}
void gemm(GemmSizes sizes, Matrix<double> a, const Factor<double>& b, double* c, std::size_t stride,
          GemmOptions options) {
  spend_steps(sizes.rows, sizes.columns, sizes.depth);
  multiply<double>(sizes, StridedFactor<double, double>(a.data, a.column_stride, a.row_stride), b, c, stride, options);
}
void gemm(GemmSizes sizes, IntegerMatrix a, const Factor<float>& b, std::int32_t* c, std::size_t stride,
          GemmOptions options) {
  spend_steps(sizes.rows, sizes.columns, sizes.depth);
  multiply(sizes, *factor_of(a, a.column_stride, a.row_stride), b, c, stride, options);
}

void for_each_product(std::size_t products, std::size_t work, const std::function<void(std::size_t, bool)>& one) {
  constexpr std::size_t kManyProducts = 8;
  if (products < 2 || products * work < kParallelWork || (products < kManyProducts && work >= kParallelWork)) {
    for (std::size_t i = 0; i < products; ++i) one(i, true);
    return;
  }
  // Other threads do not see the budget of this one, so all products are charged here. When they run on this thread,
  // each is charged by itself.
  spend_steps(products, work);
  const std::size_t chunk = std::max<std::size_t>(1, std::min(products / kManyProducts, kParallelWork / (work + 1)));
  parallel_for((products + chunk - 1) / chunk, [&](std::size_t task) {
    for (std::size_t i = task * chunk; i < std::min(products, (task + 1) * chunk); ++i) one(i, false);
  });
}

}  // namespace onnxpress::ops
