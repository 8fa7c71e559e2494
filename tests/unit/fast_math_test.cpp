// Compares functions that are written for vectors with those of the C library in double.
#include "onnxpress/ops/kernels/fast_math.h"

#include <gtest/gtest.h>

#include <limits>

namespace onnxpress::ops {
namespace {

// The error in units in the last place of the exact result.
double ulps(float found, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(static_cast<double>(found) - exact) / std::ldexp(1.0, std::max(exponent - 1, -126) - 23);
}

TEST(FastMath, PreciseExponentialIsExactForFloats) {
  for (double x = -600; x < 600; x += 0.0371) {
    const double exact = std::exp(x);
    EXPECT_LT(std::abs(precise_exponential(x) - exact), 2e-12 * exact) << x;
  }
  EXPECT_EQ(static_cast<float>(precise_exponential(-1e30)), 0.0F);
  EXPECT_TRUE(std::isinf(static_cast<float>(precise_exponential(1e30))));
  EXPECT_TRUE(std::isnan(precise_exponential(std::numeric_limits<double>::quiet_NaN())));
}

TEST(FastMath, LogisticFunctionIsRoundedOnce) {
  for (float x = -103; x < 103; x += 0.00731F)
    EXPECT_LE(ulps(logistic_function(x), 1 / (1 + std::exp(-static_cast<double>(x)))), 0.5001) << x;
  EXPECT_EQ(logistic_function(-1e30F), 0.0F);
  EXPECT_EQ(logistic_function(1e30F), 1.0F);
}

}  // namespace
}  // namespace onnxpress::ops
