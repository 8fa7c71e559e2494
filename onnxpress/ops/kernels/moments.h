// Mean and variance of runs of numbers, shared by all normalizations.
#pragma once

#include <cmath>
#include <cstddef>

namespace onnxpress::ops {

struct Moments {
  double mean = 0, variance = 0;  // of the population: divided by the count
};

// In double and in two passes, so that no precision is lost when the mean is large.
template <typename T>
Moments moments_of(const T* numbers, std::size_t count) {
  if (count == 0) return {};
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(numbers[i]);
  const double mean = sum / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = static_cast<double>(numbers[i]) - mean;
    squares += difference * difference;
  }
  return {mean, squares / static_cast<double>(count)};
}

// to[i] = (from[i] - mean) * factor * scale + bias
template <typename T>
void normalize_run(const T* from, std::size_t count, double mean, double factor, T scale, T bias, T* to) {
  const auto shift = static_cast<T>(mean), stretch = static_cast<T>(factor);
  for (std::size_t i = 0; i < count; ++i) to[i] = (from[i] - shift) * stretch * scale + bias;
}

}  // namespace onnxpress::ops
