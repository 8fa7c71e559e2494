// Small floating-point formats, all patterns, against values made by another implementation.
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
