// Finds the scale that clips nothing (`scale=min-max`).
#include <algorithm>
#include <cmath>

#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress::weights {

bool takes_offset(const Group& group, const Scheme& scheme) { return scheme.offset && !group.has_zeros; }

GroupScale scale_by_min_max(const Group& group, const Scheme& scheme) {
  const auto top = static_cast<float>(scheme.level_count() - 1);
  if (scheme.symmetric) {
    const std::uint32_t half = scheme.level_count() / 2;
    const auto middle = static_cast<float>(half);
    return {std::max(group.high, -group.low) / std::max(top - middle, 1.0F), middle};
  }
  if (takes_offset(group, scheme)) {
    const auto [low, high] = std::ranges::minmax(group.x);
    const float scale = (high - low) / top, zero = -low / scale;
    constexpr float kFarthest = 256;  // beyond, float16 is too coarse, and a range that contains 0 is better
    if (scale > 0 && std::abs(zero) < kFarthest) return {scale, zero};
  }
  const float scale = (group.high - group.low) / top;
  return {scale, std::clamp(std::nearbyint(-group.low / scale), 0.0F, top)};
}

}  // namespace onnxpress::weights
