// The innermost loops of quantizing: rows of floats to codes and back, in the widest vectors that the processor has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::weights {

// What one walk over a row tells. Numbers that are not finite count in `finite` only.
struct RowRange {
  float low = 0, high = 0;  // of the finite ones; 0 is always between them
  std::size_t finite = 0, zeros = 0;
  double squares = 0;  // sum of x * x
};
RowRange range_of(const float* x, std::size_t count);

// Sums over a row with q = x * inverse, rounded to whole numbers and clamped. At most kMostSummed elements at a time:
// sums are floats.
struct CodeSums {
  double q = 0, qq = 0, xq = 0, x = 0;
};
inline constexpr std::size_t kMostSummed = 4096;
CodeSums sums_of(const float* x, std::size_t count, float inverse, float offset, float low, float high);

// code = x * inverse + zero, rounded (ties to even) and clamped to 0 ... high. One factor for all, or one for each.
void encode_row(const float* x, std::size_t count, float inverse, float zero, float high, std::uint16_t* codes);
void encode_row(const float* x, std::size_t count, const float* inverses, const float* zeros, float high,
                std::uint16_t* codes);
// x = (code - zero) * scale, as the ops of a chain compute it.
void decode_row(const std::uint16_t* codes, std::size_t count, float scale, float zero, float* x);
void decode_row(const std::uint16_t* codes, std::size_t count, const float* scales, const float* zeros, float* x);

struct RowError {
  double noise = 0;    // sum of squared differences
  double squares = 0;  // sum of y * y
  float largest = 0;
};
RowError difference(const float* x, const float* y, std::size_t count);  // at most kMostSummed elements

}  // namespace onnxpress::weights
