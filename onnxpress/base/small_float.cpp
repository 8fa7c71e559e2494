// One row per format; numbers are assembled from the bits of a float.
#include "onnxpress/base/small_float.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace onnxpress {

namespace {

enum class Specials : std::uint8_t {
  kIeee,          // the largest exponent means infinity or nan
  kNanOnTop,      // all ones means nan
  kNanMinusZero,  // the pattern of -0 means nan
  kNone,
};

struct Row {
  int exponent_bits, mantissa_bits, bias;
  Specials specials;
  bool has_sign = true;

  constexpr int bits() const { return exponent_bits + mantissa_bits + (has_sign ? 1 : 0); }
};

constexpr Row kRows[kSmallFloatCount] = {
    {5, 10, 15, Specials::kIeee},             // float16
    {8, 7, 127, Specials::kIeee},             // bfloat16
    {4, 3, 7, Specials::kNanOnTop},           // float8e4m3fn
    {4, 3, 8, Specials::kNanMinusZero},       // float8e4m3fnuz
    {5, 2, 15, Specials::kIeee},              // float8e5m2
    {5, 2, 16, Specials::kNanMinusZero},      // float8e5m2fnuz
    {8, 0, 127, Specials::kNanOnTop, false},  // float8e8m0
    {2, 3, 1, Specials::kNone},               // float6e2m3
    {3, 2, 3, Specials::kNone},               // float6e3m2
    {2, 1, 1, Specials::kNone},               // float4e2m1
};

const Row& row_of(SmallFloat format) { return kRows[static_cast<std::size_t>(format)]; }

constexpr int kFloatMantissa = 23, kFloatBias = 127;

// 2^exponent, even if it is a subnormal float.
float power_of_two(int exponent) {
  const int biased = exponent + kFloatBias;
  if (biased > 0) return std::bit_cast<float>(static_cast<std::uint32_t>(biased) << kFloatMantissa);
  return std::bit_cast<float>(std::uint32_t{1} << (kFloatMantissa - 1 + biased));
}

float magnitude_value(const Row& row, std::uint32_t magnitude) {
  const std::uint32_t mantissa = magnitude & ((1U << row.mantissa_bits) - 1);
  const auto exponent = static_cast<int>(magnitude >> row.mantissa_bits);
  const bool top_exponent = exponent == (1 << row.exponent_bits) - 1;
  if (row.specials == Specials::kIeee && top_exponent && mantissa == 0) return std::numeric_limits<float>::infinity();
  // float8e8m0 has neither zero nor subnormals: pattern 0 is 2^-127.
  if (!row.has_sign) return power_of_two(exponent - row.bias);
  if (exponent == 0)
    return static_cast<float>(mantissa) * power_of_two(1 - row.bias) * power_of_two(-row.mantissa_bits);
  const auto biased = static_cast<std::uint32_t>(exponent - row.bias + kFloatBias);
  return std::bit_cast<float>((biased << kFloatMantissa) | (mantissa << (kFloatMantissa - row.mantissa_bits)));
}

bool is_nan(const Row& row, std::uint32_t bits) {
  const std::uint32_t sign = row.has_sign ? 1U << (row.bits() - 1) : 0;
  const std::uint32_t magnitude = bits & ~sign, all = (1U << (row.exponent_bits + row.mantissa_bits)) - 1;
  switch (row.specials) {
    case Specials::kIeee:
      return magnitude > (all & ~((1U << row.mantissa_bits) - 1));
    case Specials::kNanOnTop:
      return magnitude == all;
    case Specials::kNanMinusZero:
      return bits == sign;
    case Specials::kNone:
      break;
  }
  return false;
}

}  // namespace

int bits_of(SmallFloat format) { return row_of(format).bits(); }

float value_of(SmallFloat format, std::uint32_t bits) {
  const Row& row = row_of(format);
  if (is_nan(row, bits)) return std::numeric_limits<float>::quiet_NaN();
  const std::uint32_t sign = row.has_sign ? 1U << (row.bits() - 1) : 0;
  const float value = magnitude_value(row, bits & ~sign);
  return (bits & sign) != 0 ? -value : value;
}

std::uint32_t nearest_bits(SmallFloat format, float value, Overflow overflow) {
  const Row& row = row_of(format);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t all = (1U << (row.exponent_bits + row.mantissa_bits)) - 1;
  const std::uint32_t sign_bit = row.has_sign ? 1U << (row.bits() - 1) : 0;
  const std::uint32_t sign = (bits >> 31) != 0 ? sign_bit : 0;
  const std::uint32_t infinity = all & ~((1U << row.mantissa_bits) - 1);  // of the formats that have one
  std::uint32_t nan = 0, largest = all;
  switch (row.specials) {
    case Specials::kIeee:
      nan = sign | infinity | (1U << (row.mantissa_bits - 1));
      largest = infinity - 1;
      break;
    case Specials::kNanOnTop:
      nan = sign | all;
      largest = all - 1;
      break;
    case Specials::kNanMinusZero:
      nan = sign_bit;
      break;
    case Specials::kNone:
      break;
  }
  if (value != value) return nan;

  // The magnitude in units of the format's last place. For a normal number, its implicit bit adds the 1 that `base`
  // subtracts from the exponent.
  const std::uint32_t float_exponent = (bits >> kFloatMantissa) & 0xff;
  const std::uint32_t mantissa = bits & ((1U << kFloatMantissa) - 1);
  const std::uint32_t significand = float_exponent > 0 ? mantissa | (1U << kFloatMantissa) : mantissa;
  const int exponent = static_cast<int>(std::max(float_exponent, 1U)) - kFloatBias + row.bias;
  const int shift = kFloatMantissa - row.mantissa_bits + std::max(1 - exponent, 0);
  const std::uint32_t base = exponent >= 1 ? static_cast<std::uint32_t>(exponent - 1) << row.mantissa_bits : 0;
  std::uint32_t magnitude = base;
  if (shift <= kFloatMantissa + 1) {
    const std::uint32_t half = 1U << (shift - 1), kept = significand >> shift, rest = significand & ((1U << shift) - 1);
    const bool up = rest > half || (rest == half && ((kept & 1) != 0 || row.mantissa_bits == 0));
    magnitude += kept + (up ? 1 : 0);
  }
  if (magnitude > largest) {
    if (overflow == Overflow::kSaturate || row.specials == Specials::kNone) return sign | largest;
    return row.specials == Specials::kIeee ? sign | infinity : nan;
  }
  if (magnitude == 0 && row.specials == Specials::kNanMinusZero) return 0;
  return sign | magnitude;
}

void values_of(SmallFloat format, const void* bits, std::size_t count, float* values) {
  if (format == SmallFloat::kFloat16 || format == SmallFloat::kBfloat16) {
    const auto* from = static_cast<const std::uint16_t*>(bits);
    if (format == SmallFloat::kFloat16) {
      std::transform(from, from + count, values, float16_value);
    } else {
      std::transform(from, from + count, values, bfloat16_value);
    }
    return;
  }
  const auto* from = static_cast<const std::uint8_t*>(bits);
  const std::uint32_t mask = (1U << bits_of(format)) - 1;
  if (count < 64) {
    for (std::size_t i = 0; i < count; ++i) values[i] = value_of(format, from[i] & mask);
    return;
  }
  float table[256];
  for (std::uint32_t i = 0; i < 256; ++i) table[i] = value_of(format, i & mask);
  for (std::size_t i = 0; i < count; ++i) values[i] = table[from[i]];
}

void nearest_bits(SmallFloat format, const float* values, std::size_t count, void* bits, Overflow overflow) {
  if (format == SmallFloat::kFloat16 && overflow == Overflow::kInfinity) {
    std::transform(values, values + count, static_cast<std::uint16_t*>(bits), float16_bits);
  } else if (format == SmallFloat::kBfloat16 && overflow == Overflow::kInfinity) {
    std::transform(values, values + count, static_cast<std::uint16_t*>(bits), bfloat16_bits);
  } else if (bits_of(format) == 16) {
    for (std::size_t i = 0; i < count; ++i)
      static_cast<std::uint16_t*>(bits)[i] = static_cast<std::uint16_t>(nearest_bits(format, values[i], overflow));
  } else {
    for (std::size_t i = 0; i < count; ++i)
      static_cast<std::uint8_t*>(bits)[i] = static_cast<std::uint8_t>(nearest_bits(format, values[i], overflow));
  }
}

void unpack(const char* packed, int width, std::uint64_t first, std::size_t count, std::uint8_t* out) {
  const auto mask = (1U << width) - 1;
  std::uint64_t bit = first * static_cast<std::uint64_t>(width);
  for (std::size_t i = 0; i < count; ++i, bit += static_cast<std::uint64_t>(width)) {
    const auto at = static_cast<std::size_t>(bit / 8);
    const int shift = static_cast<int>(bit % 8);
    std::uint32_t window = static_cast<unsigned char>(packed[at]);
    // Read the next byte only if the element extends into it: the last byte of the row has no next one.
    if (shift + width > 8) window |= static_cast<std::uint32_t>(static_cast<unsigned char>(packed[at + 1])) << 8;
    out[i] = static_cast<std::uint8_t>((window >> shift) & mask);
  }
}

void pack(const std::uint8_t* elements, std::size_t count, int width, char* packed) {
  const std::size_t bytes = (count * static_cast<std::size_t>(width) + 7) / 8;
  std::fill_n(packed, bytes, '\0');
  std::size_t bit = 0;
  for (std::size_t i = 0; i < count; ++i, bit += static_cast<std::size_t>(width)) {
    const std::uint32_t window = (elements[i] & ((1U << width) - 1)) << (bit % 8);
    packed[bit / 8] = static_cast<char>(static_cast<unsigned char>(packed[bit / 8]) | (window & 0xff));
    if (window > 0xff) packed[bit / 8 + 1] = static_cast<char>(window >> 8);
  }
}

}  // namespace onnxpress
