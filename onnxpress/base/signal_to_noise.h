// The ratio of a signal to the noise on it, in decibels, as reports show it.
#pragma once

#include <cmath>
#include <limits>

namespace onnxpress {

// 10 log10(signal / noise), infinite without noise. Rounded, because C libraries differ in the last digits of log10 but
// reports must be the same everywhere.
inline double signal_to_noise(double signal, double noise) {
  if (noise <= 0) return std::numeric_limits<double>::infinity();
  constexpr double kSteps = 1e9;
  const double exact = 10 * std::log10(std::fmax(signal, std::numeric_limits<double>::min()) / noise);
  return std::round(exact * kSteps) / kSteps;
}

}  // namespace onnxpress
