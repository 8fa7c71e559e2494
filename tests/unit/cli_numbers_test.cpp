// Numbers as people read and type them.
#include <gtest/gtest.h>

#include "cli/terminal/numbers.h"

namespace onnxpress::cli {
namespace {

TEST(Numbers, BytesHaveThreeDigitsAndNeverAThousand) {
  const std::pair<std::uint64_t, const char*> cases[] = {
      {0, "0 B"},          {1, "1 B"},           {999, "999 B"},          {1000, "1.00 KB"},    {1024, "1.02 KB"},
      {9994, "9.99 KB"},   {9995, "10.0 KB"},    {99949, "99.9 KB"},      {99950, "100 KB"},    {999499, "999 KB"},
      {999500, "1.00 MB"}, {2327524, "2.33 MB"}, {12'300'000, "12.3 MB"}, {1 << 30, "1.07 GB"}, {UINT64_MAX, "18.4 EB"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(human_bytes(bytes), text) << bytes;
}

TEST(Numbers, ExactBytesSayTheNumberToo) {
  EXPECT_EQ(exact_bytes(1), "1 byte");
  EXPECT_EQ(exact_bytes(512), "512 bytes");
  EXPECT_EQ(exact_bytes(2327524), "2.33 MB (2,327,524 bytes)");
}

TEST(Numbers, CommasStandEveryThreeDigits) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Numbers, CountsAreShort) {
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(13'500'000), "13.5 M");
  EXPECT_EQ(human_count(7'000'000'000), "7.00 B");
}

TEST(Numbers, PercentDoesNotClaimAllOrNothing) {
  EXPECT_EQ(percent(0, 10), "0.0 %");
  EXPECT_EQ(percent(1, 100'000), "<0.1 %");
  EXPECT_EQ(percent(1, 3), "33.3 %");
  EXPECT_EQ(percent(99'999, 100'000), ">99.9 %");
  EXPECT_EQ(percent(5, 5), "100.0 %");
  EXPECT_EQ(percent(0, 0), "0.0 %");
}

TEST(Numbers, CountedAgrees) {
  EXPECT_EQ(counted(1, "node", "nodes"), "1 node");
  EXPECT_EQ(counted(0, "node", "nodes"), "0 nodes");
  EXPECT_EQ(counted(2000, "node", "nodes"), "2,000 nodes");
}

TEST(Numbers, SizesAreTypedInManyWays) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0},
      {"1024", 1024},
      {"1KB", 1000},
      {"1kb", 1000},
      {"1K", 1000},
      {"1KiB", 1024},
      {"1.5MB", 1'500'000},
      {"1.5 MB", 1'500'000},
      {"2g", 2'000'000'000},
      {"2GiB", 1ull << 31},
      {"10B", 10},
      {"2e", 2'000'000'000'000'000'000},
      {"18446744073709551615", UINT64_MAX},
  };
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_bytes(text), bytes) << text;
}

TEST(Numbers, WhatIsNoSizeIsRefused) {
  for (const char* text : {"", "x", "KB", "-1", "+1", " 1", "1 XB", "1KBs", "0x10", "1e30", "nan",
                           "99999999999999999999", "9999EB", "1.5.2"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace onnxpress::cli
