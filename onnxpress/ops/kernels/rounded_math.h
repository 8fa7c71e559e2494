// Math functions with the same results on every machine: floats are computed in double and rounded once. The float
// functions of C libraries differ in their last bit; their double functions are off by at most one unit in the last
// place, which changes a float once in some hundred million numbers.
#pragma once

#include <cmath>

#include "onnxpress/ops/kernels/fast_math.h"

namespace onnxpress::ops {

// `Work` takes and returns double, and has no state.
template <typename Work>
struct RoundedOnce {
  template <typename T>
  T operator()(T x) const {
    return static_cast<T>(Work()(static_cast<double>(x)));
  }
};

// Needs no library, and loops over it vectorize.
inline float rounded_exponential(float x) { return static_cast<float>(precise_exponential(static_cast<double>(x))); }
inline double rounded_exponential(double x) { return std::exp(x); }

// exp(x) - 1
template <typename T>
T rounded_expm1(T x) {
  return static_cast<T>(std::expm1(static_cast<double>(x)));
}

template <typename T>
T rounded_tanh(T x) {
  return static_cast<T>(std::tanh(static_cast<double>(x)));
}

// 1 - erf(x)
template <typename T>
T rounded_erfc(T x) {
  return static_cast<T>(std::erfc(static_cast<double>(x)));
}

template <typename T>
T rounded_power(T base, T exponent) {
  return static_cast<T>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
}

}  // namespace onnxpress::ops
