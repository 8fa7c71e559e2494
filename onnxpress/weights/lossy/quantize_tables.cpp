// The values of nf4 and float8, which are not evenly spaced.
#include <algorithm>
#include <cmath>

#include "onnxpress/base/small_float.h"
#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress::weights {

// Quantiles of the normal distribution with an exact 0, scaled to -1 ... 1: appendix E of the QLoRA paper.
std::span<const float> nf4_values() {
  static constexpr float kValues[] = {
      -1.0F,        -0.69619280F, -0.52507305F, -0.39491749F, -0.28444138F, -0.18477343F, -0.091050036F, 0.0F,
      0.079580299F, 0.16093020F,  0.24611230F,  0.33791524F,  0.44070983F,  0.56261700F,  0.72295684F,   1.0F};
  return kValues;
}

std::span<const float> float8_values() {
  static const std::vector<float> kValues = [] {
    std::vector<float> values;
    for (std::uint32_t bits = 0; bits < 256; ++bits) {
      const float value = value_of(SmallFloat::kFloat8e4m3fn, bits);
      if (std::isfinite(value) && !(value == 0 && std::signbit(value))) values.push_back(value);
    }
    std::ranges::sort(values);
    return values;
  }();
  return kValues;
}

}  // namespace onnxpress::weights
