// The quality of rare inputs, estimated from others.
#include "onnxpress/tasks/quantize/search/rare_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace onnxpress {
namespace {

// Noise over signal whose square roots have an exponential tail: quantile p of n inputs is 0.01 - 0.001 * log(p).
std::vector<double> exponential(std::size_t inputs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < inputs; ++i) {
    const double root = 0.01 - 0.001 * std::log((static_cast<double>(i) + 0.5) / static_cast<double>(inputs));
    ratios.push_back(root * root);
  }
  return ratios;
}

TEST(RareQuality, ExtendsTheTail) {
  const double expected = -20 * std::log10(0.01 - 0.001 * std::log(1e-3));
  EXPECT_NEAR(rare_quality(exponential(300), 300, 1e-3), expected, 0.1);
  EXPECT_NEAR(rare_quality(exponential(48), 48, 1e-3), expected, 0.3);
}

TEST(RareQuality, NeedsOnlyTheWorstOnes) {
  std::vector<double> worst = exponential(300);
  worst.resize(26);
  EXPECT_DOUBLE_EQ(rare_quality(worst, 300, 1e-3), rare_quality(exponential(300), 300, 1e-3));
  worst.resize(12);
  EXPECT_NEAR(rare_quality(worst, 300, 1e-3), rare_quality(exponential(300), 300, 1e-3), 0.3);
}

TEST(RareQuality, IsTheirOwnIfAllAreAlike) {
  EXPECT_NEAR(rare_quality(std::vector<double>(48, 1e-3), 48, 1e-3), 30, 1e-9);
}

TEST(RareQuality, SaysNothingAboutTooFew) {
  EXPECT_TRUE(std::isinf(rare_quality(exponential(15), 15, 1e-3)));
  EXPECT_TRUE(std::isinf(rare_quality({0.1, 0.1, 0.1, 0.1}, 300, 1e-3)));
}

TEST(RareQuality, SaysNothingIfSuchAnInputIsAmongThem) {
  EXPECT_TRUE(std::isinf(rare_quality(exponential(1000), 1000, 1e-3)));
  EXPECT_TRUE(std::isinf(rare_quality(exponential(200), 200, 5e-3)));
}

}  // namespace
}  // namespace onnxpress
