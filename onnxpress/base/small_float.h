/// \file
/// Numbers narrower than a machine's own: floating-point formats of 4 to 16 bits, and elements packed several to a
/// byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace onnxpress {

/// Named as ONNX does: e exponent bits, m mantissa bits, f: no infinity, n: one nan, u: unsigned zero, z: nan where -0
/// would be.
enum class SmallFloat : std::uint8_t {
  kFloat16,
  kBfloat16,
  kFloat8e4m3fn,
  kFloat8e4m3fnuz,
  kFloat8e5m2,
  kFloat8e5m2fnuz,
  kFloat8e8m0,  ///< a power of two, without sign or zero: the scale of a block of numbers
  kFloat6e2m3,
  kFloat6e3m2,
  kFloat4e2m1,
};
/// How many formats SmallFloat lists.
inline constexpr int kSmallFloatCount = 10;

/// How many bits a number of that format has.
int bits_of(SmallFloat format);

/// The value of a bit pattern, which is exact because every such number is a float. Nan patterns give a quiet nan.
float value_of(SmallFloat format, std::uint32_t bits);

/// How to convert a number that is too large for a format, infinity included.
enum class Overflow : std::uint8_t {
  kInfinity,  ///< infinity; nan in formats that have none; the largest number in those that have neither
  kSaturate,  ///< the largest number of that sign
};

/// The bit pattern nearest to `value`, ties to even. Nan gives the format's nan (or 0 where it has none). float8e8m0
/// takes the magnitude, ties up.
std::uint32_t nearest_bits(SmallFloat format, float value, Overflow overflow = Overflow::kInfinity);

/// The value of a float16. Conversions of 16-bit formats are inline and free of branches, so that loops can be
/// vectorized.
inline float float16_value(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffU, sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  // Read as the bits of a float, the number is too small by a factor of 2^(127 - 15), even for subnormals.
  const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112F);
  const std::uint32_t special = magnitude > 0x7c00U ? 0x7fc00000U : sign | 0x7f800000U;
  return std::bit_cast<float>(magnitude >= 0x7c00U ? special : sign | scaled);
}
/// The float16 nearest to `value`, ties to even.
inline std::uint16_t float16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU, sign = (bits >> 16) & 0x8000U;
  // Normal numbers: change the bias and round off 13 bits, ties to even. A carry into the exponent is correct.
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  // Subnormal numbers: the last place of 0.5 + x is that of the subnormals, so the addition rounds to it.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  const std::uint32_t special = magnitude > 0x7f800000U ? 0x7e00U : 0x7c00U;
  const std::uint32_t finite = magnitude < 0x38800000U ? subnormal : normal;
  return static_cast<std::uint16_t>(sign | (magnitude >= 0x47800000U ? special : finite));
}
/// The value of a bfloat16.
inline float bfloat16_value(std::uint16_t bits) {
  const bool is_nan = (bits & 0x7fffU) > 0x7f80U;
  return std::bit_cast<float>(is_nan ? 0x7fc00000U : static_cast<std::uint32_t>(bits) << 16);
}
/// The bfloat16 nearest to `value`, ties to even.
inline std::uint16_t bfloat16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16, nan = ((bits >> 16) & 0x8000U) | 0x7fc0U;
  return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? nan : rounded);
}

/// Convert `count` numbers at once. Formats of 16 bits take two bytes each, all others one byte each (not packed).
void values_of(SmallFloat format, const void* bits, std::size_t count, float* values);
void nearest_bits(SmallFloat format, const float* values, std::size_t count, void* bits,
                  Overflow overflow = Overflow::kInfinity);

/// Reads `count` elements, starting at element `first`, of a dense row of `width`-bit elements (1 to 8), low bits
/// first: element 0 is in the low bits of byte 0. `packed` must contain them all.
void unpack(const char* packed, int width, std::uint64_t first, std::size_t count, std::uint8_t* out);
/// The reverse, for a whole row: writes the low `width` bits of each element. `packed` must have room for
/// (count * width + 7) / 8 bytes.
void pack(const std::uint8_t* elements, std::size_t count, int width, char* packed);

/// The low `width` bits as a two's complement number: 0b1111 of width 4 is -1.
constexpr int sign_extended(std::uint32_t bits, int width) {
  const auto sign = std::uint32_t{1} << (width - 1);
  return static_cast<int>(bits & (sign - 1)) - static_cast<int>(bits & sign);
}

}  // namespace onnxpress
