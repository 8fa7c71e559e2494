// Activation-aware scales, by the mean size of a layer's inputs in each channel.
#include <algorithm>
#include <cmath>

#include "onnxpress/weights/lossy/channel_scales.h"

namespace onnxpress::weights {

std::vector<float> powers_of_two(std::span<const double> wanted) {
  constexpr double kFarthest = 8;
  double logarithms = 0, count = 0;
  for (const double each : wanted) {
    if (each > 0 && std::isfinite(each)) logarithms += std::log2(each), ++count;
  }
  const double middle = count > 0 ? std::round(logarithms / count) : 0;
  std::vector<float> scales;
  for (const double each : wanted) {
    const bool known = each > 0 && std::isfinite(each);
    const double power = known ? std::clamp(std::round(std::log2(each) - middle), -kFarthest, kFarthest) : 0;
    scales.push_back(std::ldexp(1.0F, static_cast<int>(power)));
  }
  return scales;
}

std::vector<float> activation_scales(const LayerSample& sample, std::size_t channels, double power) {
  std::vector<double> sizes(channels, 0);
  const std::size_t taps = sample.columns / channels;
  for (std::size_t i = 0; i < sample.fitted; ++i) {
    for (std::size_t k = 0; k < sample.columns; ++k)
      sizes[k / taps] += std::abs(static_cast<double>(sample.to_fit[i * sample.columns + k]));
  }
  for (double& each : sizes) each = std::pow(each, power);
  return powers_of_two(sizes);
}

}  // namespace onnxpress::weights
