// Numbers narrower than a machine's own: floating-point formats of 4 to 16 bits, and elements packed several to a byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress {

// Named as ONNX does: e exponent bits, m mantissa bits, f: no infinity, n: one nan, u: unsigned zero, z: nan where -0
// would be.
enum class SmallFloat : std::uint8_t {
  kFloat16,
  kBfloat16,
  kFloat8e4m3fn,
  kFloat8e4m3fnuz,
  kFloat8e5m2,
  kFloat8e5m2fnuz,
  kFloat8e8m0,  // a power of two, without sign or zero: the scale of a block of numbers
  kFloat6e2m3,
  kFloat6e3m2,
  kFloat4e2m1,
};
inline constexpr int kSmallFloatCount = 10;

int bits_of(SmallFloat format);

// What a bit pattern is worth. Exact: every such number is a float. Patterns that are not a number give a quiet nan.
float value_of(SmallFloat format, std::uint32_t bits);

// What becomes of a number that is too large for a format, infinity included.
enum class Overflow : std::uint8_t {
  kInfinity,  // infinity; nan in formats that have none; the largest number in those that have neither
  kSaturate,  // the largest number of that sign
};

// The bit pattern nearest to `value`, ties to even. Nan gives the format's nan (or 0 where it has none). float8e8m0
// takes the magnitude, ties up.
std::uint32_t nearest_bits(SmallFloat format, float value, Overflow overflow = Overflow::kInfinity);

// Elements `first` to `first + count` of a dense row of `width`-bit elements (1 to 8), low bits first: element 0 is in
// the low bits of byte 0. `packed` must hold them all.
void unpack(const char* packed, int width, std::uint64_t first, std::size_t count, std::uint8_t* out);
// The reverse, for a whole row: the low `width` bits of each element. `packed` has room for (count * width + 7) / 8
// bytes.
void pack(const std::uint8_t* elements, std::size_t count, int width, char* packed);

// The low `width` bits as a two's complement number: 0b1111 of width 4 is -1.
constexpr int sign_extended(std::uint32_t bits, int width) {
  const auto sign = std::uint32_t{1} << (width - 1);
  return static_cast<int>(bits & (sign - 1)) - static_cast<int>(bits & sign);
}

}  // namespace onnxpress
