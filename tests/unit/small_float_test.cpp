// Compares all bit patterns of the small floating-point formats with values from another implementation.
#include "onnxpress/base/small_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "tests/unit/small_float_values.h"

namespace onnxpress {
namespace {

namespace expected = small_float_values;

std::uint32_t pattern_of(float value) { return std::isnan(value) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(value); }

void expect_values(SmallFloat format, std::span<const std::uint32_t> values) {
  ASSERT_EQ(values.size(), std::size_t{1} << bits_of(format));
  for (std::uint32_t bits = 0; bits < values.size(); ++bits) {
    EXPECT_EQ(pattern_of(value_of(format, bits)), values[bits]) << "pattern " << bits;
  }
}

std::uint32_t checksum_of_all(SmallFloat format) {
  std::uint32_t crc = ~0U;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const std::uint32_t value = pattern_of(value_of(format, bits));
    for (int shift = 0; shift < 32; shift += 8) {
      crc ^= (value >> shift) & 0xff;
      for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0xedb88320U & (0U - (crc & 1)));
    }
  }
  return ~crc;
}

TEST(SmallFloat, EveryPatternOfTheNarrowFormats) {
  expect_values(SmallFloat::kFloat8e4m3fn, expected::kFloat8e4m3fn);
  expect_values(SmallFloat::kFloat8e4m3fnuz, expected::kFloat8e4m3fnuz);
  expect_values(SmallFloat::kFloat8e5m2, expected::kFloat8e5m2);
  expect_values(SmallFloat::kFloat8e5m2fnuz, expected::kFloat8e5m2fnuz);
  expect_values(SmallFloat::kFloat8e8m0, expected::kFloat8e8m0);
  expect_values(SmallFloat::kFloat6e2m3, expected::kFloat6e2m3);
  expect_values(SmallFloat::kFloat6e3m2, expected::kFloat6e3m2);
  expect_values(SmallFloat::kFloat4e2m1, expected::kFloat4e2m1);
}

TEST(SmallFloat, EveryPatternOfTheSixteenBitFormats) {
  EXPECT_EQ(checksum_of_all(SmallFloat::kFloat16), expected::kFloat16Checksum);
  EXPECT_EQ(checksum_of_all(SmallFloat::kBfloat16), expected::kBfloat16Checksum);
}

// The inline conversions and those of whole rows must agree with the general one, which is compared with another
// implementation.
TEST(SmallFloat, FastConversionsAgreeWithTheGeneralOnes) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    ASSERT_EQ(pattern_of(float16_value(pattern)), pattern_of(value_of(SmallFloat::kFloat16, bits))) << bits;
    ASSERT_EQ(pattern_of(bfloat16_value(pattern)), pattern_of(value_of(SmallFloat::kBfloat16, bits))) << bits;
  }
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 4093) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    ASSERT_EQ(float16_bits(value), nearest_bits(SmallFloat::kFloat16, value)) << bits;
    ASSERT_EQ(bfloat16_bits(value), nearest_bits(SmallFloat::kBfloat16, value)) << bits;
  }
  // Ties, subnormals and the edge to infinity of float16.
  for (const float value : {0x1p-24F, 0x1p-25F, 0x1.8p-25F, 0x1.ffcp-15F, 65504.0F, 65519.9F, 65520.0F, 0x1.002p0F}) {
    EXPECT_EQ(float16_bits(value), nearest_bits(SmallFloat::kFloat16, value)) << value;
    EXPECT_EQ(float16_bits(-value), nearest_bits(SmallFloat::kFloat16, -value)) << value;
  }
}

TEST(SmallFloat, ConvertsRows) {
  for (int i = 0; i < kSmallFloatCount; ++i) {
    const auto format = static_cast<SmallFloat>(i);
    const std::size_t count = std::size_t{1} << std::min(bits_of(format), 10);
    std::vector<std::uint16_t> words(count);
    std::vector<std::uint8_t> bytes(count);
    for (std::size_t k = 0; k < count; ++k)
      words[k] = static_cast<std::uint16_t>(k), bytes[k] = static_cast<std::uint8_t>(k);
    const bool wide = bits_of(format) == 16;
    std::vector<float> values(count);
    values_of(format, wide ? static_cast<const void*>(words.data()) : bytes.data(), count, values.data());
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_EQ(pattern_of(values[k]), pattern_of(value_of(format, static_cast<std::uint32_t>(k))));
    nearest_bits(format, values.data(), count, wide ? static_cast<void*>(words.data()) : bytes.data());
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_EQ(wide ? words[k] : bytes[k], nearest_bits(format, values[k])) << "format " << i << ", pattern " << k;
  }
}

TEST(SmallFloat, UnpacksLowBitsFirst) {
  const std::string bytes = {'\x21', '\x43', '\x65'};
  std::vector<std::uint8_t> out(6);
  unpack(bytes.data(), 4, 0, 6, out.data());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  out.resize(3);
  unpack(bytes.data(), 4, 3, 3, out.data());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{4, 5, 6}));
}

TEST(SmallFloat, UnpacksElementsThatCrossBytes) {
  // Four 6-bit elements 1, 2, 3, 63 in three bytes.
  const std::uint32_t row = 1U | (2U << 6) | (3U << 12) | (63U << 18);
  const std::string bytes = {static_cast<char>(row & 0xff), static_cast<char>((row >> 8) & 0xff),
                             static_cast<char>(row >> 16)};
  std::vector<std::uint8_t> out(4);
  unpack(bytes.data(), 6, 0, 4, out.data());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 2, 3, 63}));
}

TEST(SmallFloat, SignExtends) {
  EXPECT_EQ(sign_extended(0b1111, 4), -1);
  EXPECT_EQ(sign_extended(0b1000, 4), -8);
  EXPECT_EQ(sign_extended(0b0111, 4), 7);
  EXPECT_EQ(sign_extended(0b10, 2), -2);
  EXPECT_EQ(sign_extended(0b01, 2), 1);
}

}  // namespace
}  // namespace onnxpress
