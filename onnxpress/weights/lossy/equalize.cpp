// Equalization: scales that give the weights before and after a channel equal ranges.
#include <cmath>

#include "onnxpress/weights/lossy/channel_scales.h"

namespace onnxpress::weights {

std::vector<float> equalizing_scales(std::span<const double> before, std::span<const double> behind) {
  std::vector<double> wanted;
  for (std::size_t i = 0; i < before.size(); ++i)
    wanted.push_back(behind[i] > 0 ? std::sqrt(before[i] / behind[i]) : 0);
  return powers_of_two(wanted);
}

}  // namespace onnxpress::weights
