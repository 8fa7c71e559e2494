// Kernels of gemm_kernel.h, compiled once per kind of processor by Highway and chosen at run time.
#include "onnxpress/ops/kernels/gemm_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onnxpress/ops/kernels/gemm_kernel.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onnxpress::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
std::size_t lanes_of() {
  return hn::Lanes(hn::ScalableTag<T>());
}
std::size_t columns_f32() { return 2 * lanes_of<float>(); }
std::size_t columns_f64() { return 2 * lanes_of<double>(); }

// Writes one vector of sums to the result, or adds it.
template <typename D, typename V>
HWY_INLINE void put(D d, V sum, hn::TFromD<D>* to, bool accumulate) {
  hn::StoreU(accumulate ? hn::Add(sum, hn::LoadU(d, to)) : sum, d, to);
}
template <typename D, typename V>
HWY_INLINE void put(D /*d*/, V sum, std::int32_t* to, bool accumulate) {
  const hn::RebindToSigned<D> whole;
  const auto rounded = hn::ConvertTo(whole, sum);
  hn::StoreU(accumulate ? hn::Add(rounded, hn::LoadU(whole, to)) : rounded, whole, to);
}

// Computes kPanelRows x 2 vectors of the result. The sums are separate variables so that each stays in a register.
template <typename T, typename Out>
HWY_INLINE void multiply_tile(std::size_t depth, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, Out* c,
                              std::size_t stride, bool accumulate) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto s00 = hn::Zero(d), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00;
  auto s30 = s00, s31 = s00, s40 = s00, s41 = s00, s50 = s00, s51 = s00;
  for (std::size_t i = 0; i < depth; ++i, a += kPanelRows, b += 2 * lanes) {
    const auto b0 = hn::Load(d, b), b1 = hn::Load(d, b + lanes);
    const auto a0 = hn::Set(d, a[0]), a1 = hn::Set(d, a[1]);
    s00 = hn::MulAdd(a0, b0, s00), s01 = hn::MulAdd(a0, b1, s01);
    s10 = hn::MulAdd(a1, b0, s10), s11 = hn::MulAdd(a1, b1, s11);
    const auto a2 = hn::Set(d, a[2]), a3 = hn::Set(d, a[3]);
    s20 = hn::MulAdd(a2, b0, s20), s21 = hn::MulAdd(a2, b1, s21);
    s30 = hn::MulAdd(a3, b0, s30), s31 = hn::MulAdd(a3, b1, s31);
    const auto a4 = hn::Set(d, a[4]), a5 = hn::Set(d, a[5]);
    s40 = hn::MulAdd(a4, b0, s40), s41 = hn::MulAdd(a4, b1, s41);
    s50 = hn::MulAdd(a5, b0, s50), s51 = hn::MulAdd(a5, b1, s51);
  }
  put(d, s00, c, accumulate), put(d, s01, c + lanes, accumulate), c += stride;
  put(d, s10, c, accumulate), put(d, s11, c + lanes, accumulate), c += stride;
  put(d, s20, c, accumulate), put(d, s21, c + lanes, accumulate), c += stride;
  put(d, s30, c, accumulate), put(d, s31, c + lanes, accumulate), c += stride;
  put(d, s40, c, accumulate), put(d, s41, c + lanes, accumulate), c += stride;
  put(d, s50, c, accumulate), put(d, s51, c + lanes, accumulate);
}

template <typename T, typename Out>
void multiply_block(const PackedBlock<T, Out>& block) {
  const std::size_t width = 2 * lanes_of<T>();
  HWY_ALIGN Out edge[kPanelRows * 2 * HWY_MAX_BYTES / sizeof(T)];
  for (std::size_t j = 0; j < block.columns; j += width) {
    const T* right = block.right + j * block.depth;
    const std::size_t columns = HWY_MIN(width, block.columns - j);
    for (std::size_t i = 0; i < block.rows; i += kPanelRows) {
      const T* left = block.left + i * block.depth;
      const std::size_t rows = HWY_MIN(kPanelRows, block.rows - i);
      Out* to = block.result + i * block.stride + j;
      if (rows == kPanelRows && columns == width) {
        multiply_tile<T, Out>(block.depth, left, right, to, block.stride, block.accumulate);
        continue;
      }
      multiply_tile<T, Out>(block.depth, left, right, edge, width, false);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t k = 0; k < columns; ++k) {
          const Out sum = edge[r * width + k];
          Out& into = to[r * block.stride + k];
          into = block.accumulate ? static_cast<Out>(into + sum) : sum;
        }
      }
    }
  }
}
void block_f32(const PackedBlock<float, float>& block) { multiply_block(block); }
void block_f64(const PackedBlock<double, double>& block) { multiply_block(block); }
void block_i32(const PackedBlock<float, std::int32_t>& block) { multiply_block(block); }

template <typename T>
void add_scaled_to(std::size_t count, T factor, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::MulAdd(scale, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, y + i);
  for (; i < count; ++i) y[i] += factor * x[i];
}
void add_scaled_f32(std::size_t count, float factor, const float* x, float* y) { add_scaled_to(count, factor, x, y); }
void add_scaled_f64(std::size_t count, double factor, const double* x, double* y) {
  add_scaled_to(count, factor, x, y);
}

template <typename T>
T dot_of(std::size_t count, const T* x, const T* y) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    s0 = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), s0);
    s1 = hn::MulAdd(hn::LoadU(d, x + i + lanes), hn::LoadU(d, y + i + lanes), s1);
    s2 = hn::MulAdd(hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, y + i + 2 * lanes), s2);
    s3 = hn::MulAdd(hn::LoadU(d, x + i + 3 * lanes), hn::LoadU(d, y + i + 3 * lanes), s3);
  }
  for (; i + lanes <= count; i += lanes) s0 = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), s0);
  T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < count; ++i) sum += x[i] * y[i];
  return sum;
}
float dot_f32(std::size_t count, const float* x, const float* y) { return dot_of(count, x, y); }
double dot_f64(std::size_t count, const double* x, const double* y) { return dot_of(count, x, y); }

template <typename T>
void multiply_row_by(std::size_t depth, std::size_t columns, const T* x, const T* b, std::size_t stride, T* y,
                     bool accumulate) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + 4 * lanes <= columns; j += 4 * lanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    const T* row = b + j;
    for (std::size_t i = 0; i < depth; ++i, row += stride) {
      const auto scale = hn::Set(d, x[i]);
      s0 = hn::MulAdd(scale, hn::LoadU(d, row), s0);
      s1 = hn::MulAdd(scale, hn::LoadU(d, row + lanes), s1);
      s2 = hn::MulAdd(scale, hn::LoadU(d, row + 2 * lanes), s2);
      s3 = hn::MulAdd(scale, hn::LoadU(d, row + 3 * lanes), s3);
    }
    put(d, s0, y + j, accumulate), put(d, s1, y + j + lanes, accumulate);
    put(d, s2, y + j + 2 * lanes, accumulate), put(d, s3, y + j + 3 * lanes, accumulate);
  }
  for (; j < columns; ++j) {
    T sum = accumulate ? y[j] : T(0);
    for (std::size_t i = 0; i < depth; ++i) sum += x[i] * b[i * stride + j];
    y[j] = sum;
  }
}
void row_f32(std::size_t depth, std::size_t columns, const float* x, const float* b, std::size_t stride, float* y,
             bool accumulate) {
  multiply_row_by(depth, columns, x, b, stride, y, accumulate);
}
void row_f64(std::size_t depth, std::size_t columns, const double* x, const double* b, std::size_t stride, double* y,
             bool accumulate) {
  multiply_row_by(depth, columns, x, b, stride, y, accumulate);
}

template <typename T>
void widen_bytes(std::size_t count, const T* from, std::int32_t zero, float* to) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const hn::Rebind<T, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  const auto less = hn::Set(whole, zero);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::ConvertTo(d, hn::Sub(hn::PromoteTo(whole, hn::LoadU(narrow, from + i)), less)), d, to + i);
  for (; i < count; ++i) to[i] = static_cast<float>(static_cast<std::int32_t>(from[i]) - zero);
}
void widen_u8(std::size_t count, const std::uint8_t* from, std::int32_t zero, float* to) {
  widen_bytes(count, from, zero, to);
}
void widen_i8(std::size_t count, const std::int8_t* from, std::int32_t zero, float* to) {
  widen_bytes(count, from, zero, to);
}

}  // namespace onnxpress::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onnxpress::ops {

HWY_EXPORT(columns_f32);
HWY_EXPORT(columns_f64);
HWY_EXPORT(block_f32);
HWY_EXPORT(block_f64);
HWY_EXPORT(block_i32);
HWY_EXPORT(add_scaled_f32);
HWY_EXPORT(add_scaled_f64);
HWY_EXPORT(dot_f32);
HWY_EXPORT(dot_f64);
HWY_EXPORT(row_f32);
HWY_EXPORT(row_f64);
HWY_EXPORT(widen_u8);
HWY_EXPORT(widen_i8);

std::size_t panel_columns(float /*type*/) { return HWY_DYNAMIC_DISPATCH(columns_f32)(); }
std::size_t panel_columns(double /*type*/) { return HWY_DYNAMIC_DISPATCH(columns_f64)(); }
void multiply_packed(const PackedBlock<float, float>& block) { HWY_DYNAMIC_DISPATCH(block_f32)(block); }
void multiply_packed(const PackedBlock<double, double>& block) { HWY_DYNAMIC_DISPATCH(block_f64)(block); }
void multiply_packed(const PackedBlock<float, std::int32_t>& block) { HWY_DYNAMIC_DISPATCH(block_i32)(block); }
void add_scaled(std::size_t count, float factor, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(add_scaled_f32)(count, factor, x, y);
}
void add_scaled(std::size_t count, double factor, const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(add_scaled_f64)(count, factor, x, y);
}
float dot(std::size_t count, const float* x, const float* y) { return HWY_DYNAMIC_DISPATCH(dot_f32)(count, x, y); }
double dot(std::size_t count, const double* x, const double* y) { return HWY_DYNAMIC_DISPATCH(dot_f64)(count, x, y); }
void multiply_row(std::size_t depth, std::size_t columns, const float* x, const float* b, std::size_t stride, float* y,
                  bool accumulate) {
  HWY_DYNAMIC_DISPATCH(row_f32)(depth, columns, x, b, stride, y, accumulate);
}
void multiply_row(std::size_t depth, std::size_t columns, const double* x, const double* b, std::size_t stride,
                  double* y, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(row_f64)(depth, columns, x, b, stride, y, accumulate);
}
void widen(std::size_t count, const std::uint8_t* from, std::int32_t zero, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_u8)(count, from, zero, to);
}
void widen(std::size_t count, const std::int8_t* from, std::int32_t zero, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_i8)(count, from, zero, to);
}

}  // namespace onnxpress::ops
#endif
