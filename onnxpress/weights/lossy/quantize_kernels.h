// The innermost loops of quantizing: rows of floats to codes and back, in the widest vectors that the processor has.
// Floats need not be aligned.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::weights {

// What one walk over a row finds. Infinities and NaN are left out of everything; `finite` counts the others.
struct RowRange {
  float low = 0, high = 0;  // of the finite ones; 0 is always between them
  std::size_t finite = 0, zeros = 0;
  double squares = 0;  // sum of x * x
};
RowRange range_of(const float* x, std::size_t count);

// Sums over a row with q = x * inverse + offset, rounded to whole numbers and clamped. At most kMostSummed elements at
// a time, because the sums are floats.
struct CodeSums {
  double q = 0, qq = 0, xq = 0, x = 0;
};
inline constexpr std::size_t kMostSummed = 4096;
CodeSums sums_of(const float* x, std::size_t count, float inverse, float offset, float low, float high);

// code = x * inverse + zero, rounded (x * inverse: ties to even) and clamped to 0 ... high. There is one factor for all
// elements, or one for each.
void encode_row(const float* x, std::size_t count, float inverse, float zero, float high, std::uint16_t* codes);
void encode_row(const float* x, std::size_t count, const float* inverses, const float* zeros, float high,
                std::uint16_t* codes);
// x = (code - zero) * scale, as the ops of a chain compute it.
void decode_row(const std::uint16_t* codes, std::size_t count, float scale, float zero, float* x);
void decode_row(const std::uint16_t* codes, std::size_t count, const float* scales, const float* zeros, float* x);

// to[i] |= (codes[i] >> shift & mask ^ flip) << place: some bits of each code into some bits of a byte.
struct BitField {
  int shift = 0;
  std::uint16_t mask = 0, flip = 0;
  int place = 0;
};
void add_bits(const std::uint16_t* codes, std::size_t count, const BitField& field, std::uint8_t* to);

// Converts float16 numbers, which need not be aligned, to floats; computes 1 / x, with 0 for 0.
void widen_halves(const char* halves, std::size_t count, float* to);
void invert(const float* x, std::size_t count, float* to);

struct RowError {
  double noise = 0, signal = 0, kept = 0;  // sums of (x - y)^2, x^2, y^2
  float largest = 0, largest_x = 0;        // of |x - y|, |x|
};
RowError difference(const float* x, const float* y, std::size_t count);  // at most kMostSummed elements

}  // namespace onnxpress::weights
