// Branch-free exponential and related functions of floats, so that loops over them vectorize; the C library's functions
// take one number at a time. Off by at most 1.3 units in the last place unless stated otherwise (measured over a
// hundredth of all floats); doubles use the library.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace onnxpress::ops {

inline float exponential(float x) {
  // Beyond these bounds the result is 0 or infinity. NaN passes through.
  const float above = x < -104.0F ? -104.0F : x;
  const float near = above > 89.0F ? 89.0F : above;
  // x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const float shifted = near * 0x1.715476p0F + 0x1.8p23F;
  const float n = shifted - 0x1.8p23F;
  const float r = (near - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
  // Coefficients with the least relative error on that interval, 3e-9.
  float q = 0x1.6db420p-10F;
  q = q * r + 0x1.123b56p-7F;
  q = q * r + 0x1.55545ep-5F;
  q = q * r + 0x1.55548ep-3F;
  q = q * r + 0.5F;
  const float power = 1.0F + (r + r * r * q);
  // Times 2^n in two steps, since n may be outside the exponents of normal numbers.
  const std::int32_t exponent = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(0x1.8p23F);
  const std::int32_t half = exponent >> 1, rest = exponent - half;
  const float first = std::bit_cast<float>((static_cast<std::uint32_t>(half) + 127U) << 23);
  const float second = std::bit_cast<float>((static_cast<std::uint32_t>(rest) + 127U) << 23);
  return power * first * second;
}
inline double exponential(double x) { return std::exp(x); }

// exp(x) in double with a relative error of 1e-12, for results that are rounded to float once, at the end.
inline double precise_exponential(double x) {
  // Beyond these bounds a float result is 0 or infinity. NaN passes through.
  const double above = x < -700.0 ? -700.0 : x;
  const double near = above > 700.0 ? 700.0 : above;
  const double shifted = near * 0x1.71547652b82fep0 + 0x1.8p52;  // as above, in the low bits of a double
  const double n = shifted - 0x1.8p52;
  const double r = (near - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
  double q = 1.0 / 3628800;  // Taylor's series: the next term is below 3e-13
  q = q * r + 1.0 / 362880;
  q = q * r + 1.0 / 40320;
  q = q * r + 1.0 / 5040;
  q = q * r + 1.0 / 720;
  q = q * r + 1.0 / 120;
  q = q * r + 1.0 / 24;
  q = q * r + 1.0 / 6;
  q = q * r + 0.5;
  const double power = 1.0 + (r + r * r * q);
  const std::int64_t exponent = std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(0x1.8p52);
  return power * std::bit_cast<double>((static_cast<std::uint64_t>(exponent) + 1023U) << 52);
}

// 1 / (1 + exp(-x)); floats are rounded once.
inline float logistic_function(float x) {
  return static_cast<float>(1.0 / (1.0 + precise_exponential(-static_cast<double>(x))));
}
inline double logistic_function(double x) { return 1 / (1 + std::exp(-x)); }

inline float hyperbolic_tangent(float x) {
  // From 10 on the result is 1 in float. Larger numbers would take exponential() to the end of its range, and the
  // result past 1.
  const float size = std::min(std::abs(x), 10.0F), z = x * x;
  float p = -0x1.6f1a2ep-8F;
  p = p * z + 0x1.50af38p-6F;
  p = p * z - 0x1.b80548p-5F;
  p = p * z + 0x1.110598p-3F;
  p = p * z - 0x1.55552cp-2F;
  const float inside = x + x * z * p;  // for |x| < 0.64
  const float outside = std::copysign(1.0F - 2.0F / (exponential(2.0F * size) + 1.0F), x);
  return size < 0.62F ? inside : outside;
}
inline double hyperbolic_tangent(double x) { return std::tanh(x); }

// Within 1.5 units in the last place.
inline float error_function(float x) {
  // From 4 on the result is 1 in float.
  const float size = std::min(std::abs(x), 4.0F), z = x * x;
  float p = -0x1.3825bcp-11F;
  p = p * z + 0x1.46c232p-8F;
  p = p * z - 0x1.b676cap-6F;
  p = p * z + 0x1.ce1904p-4F;
  p = p * z - 0x1.8126dcp-2F;
  p = p * z + 0x1.06eba6p-3F;
  const float inside = x + x * p;  // for |x| < 0.93
  // Beyond, the logarithm of 1 - erf(x) is a polynomial.
  float q = -0x1.186bd6p-21F;
  q = q * size - 0x1.e0036cp-17F;
  q = q * size + 0x1.9ff16cp-12F;
  q = q * size - 0x1.09a4b2p-8F;
  q = q * size + 0x1.97e1a6p-6F;
  q = q * size - 0x1.ba6a9ep-4F;
  q = q * size - 0x1.445fd2p-1F;
  q = q * size - 0x1.212298p0F;
  q = q * size + 0x1.506112p-13F;
  const float outside = std::copysign(1.0F - exponential(q), x);
  return size < 0.92F ? inside : outside;  // NaN passes through
}
inline double error_function(double x) { return std::erf(x); }

// log(1 + u) for u from 0 to 1, as twice the area hyperbolic tangent of u / (2 + u).
inline float logarithm_above_one(float u) {
  const float s = u / (2.0F + u), z = s * s;
  float p = 0x1.1ef874p-3F;
  p = p * z + 0x1.1eb610p-3F;
  p = p * z + 0x1.99d27cp-3F;
  p = p * z + 0x1.5555p-2F;
  return 2.0F * (s + s * z * p);
}
inline double logarithm_above_one(double u) { return std::log1p(u); }

}  // namespace onnxpress::ops
