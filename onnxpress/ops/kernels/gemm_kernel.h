// The innermost loops of matrix products and dot products, in the widest vectors that the processor has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::ops {

// Factors are packed into panels, depth by depth: kPanelRows rows of the left factor, panel_columns() columns of the
// right one. 6 rows times 2 vectors fill the 16 vector registers of most processors.
inline constexpr std::size_t kPanelRows = 6;
std::size_t panel_columns(float);
std::size_t panel_columns(double);

// One block of a result: c = a * b, or c += a * b. Panels are aligned to 64 bytes and padded with zeros.
template <typename T, typename Out>
struct PackedBlock {
  std::size_t rows, columns, depth;
  const T* left;
  const T* right;
  Out* result;
  std::size_t stride;  // between rows of the result
  bool accumulate;
};
void multiply_packed(const PackedBlock<float, float>& block);
void multiply_packed(const PackedBlock<double, double>& block);
// Sums in float, which is exact while they stay below 2^24.
void multiply_packed(const PackedBlock<float, std::int32_t>& block);

// y[i] += factor * x[i].
void add_scaled(std::size_t count, float factor, const float* x, float* y);
void add_scaled(std::size_t count, double factor, const double* x, double* y);
// The sum of x[i] * y[i].
float dot(std::size_t count, const float* x, const float* y);
double dot(std::size_t count, const double* x, const double* y);
// y[j] = (accumulate ? y[j] : 0) + sum over i of x[i] * b[i * stride + j]: a row times a matrix that is not packed.
void multiply_row(std::size_t depth, std::size_t columns, const float* x, const float* b, std::size_t stride, float* y,
                  bool accumulate);
void multiply_row(std::size_t depth, std::size_t columns, const double* x, const double* b, std::size_t stride,
                  double* y, bool accumulate);
// to[i] = from[i] - zero.
void widen(std::size_t count, const std::uint8_t* from, std::int32_t zero, float* to);
void widen(std::size_t count, const std::int8_t* from, std::int32_t zero, float* to);

}  // namespace onnxpress::ops
