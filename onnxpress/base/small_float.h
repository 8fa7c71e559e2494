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

// Elements `first` to `first + count` of a dense row of `width`-bit elements (1 to 8), low bits first: element 0 is in
// the low bits of byte 0. `packed` must hold them all.
void unpack(const char* packed, int width, std::uint64_t first, std::size_t count, std::uint8_t* out);

// The low `width` bits as a two's complement number: 0b1111 of width 4 is -1.
constexpr int sign_extended(std::uint32_t bits, int width) {
  const auto sign = std::uint32_t{1} << (width - 1);
  return static_cast<int>(bits & (sign - 1)) - static_cast<int>(bits & sign);
}

}  // namespace onnxpress
