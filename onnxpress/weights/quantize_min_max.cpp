// The scale that clips nothing.
#include <algorithm>
#include <cmath>

#include "onnxpress/weights/quantize.h"

namespace onnxpress::weights {

GroupScale scale_by_min_max(const Group& group, const Scheme& scheme) {
  const auto top = static_cast<float>(scheme.level_count() - 1);
  if (scheme.symmetric) {
    const std::uint32_t half = scheme.level_count() / 2;
    const auto middle = static_cast<float>(half);
    return {std::max(group.high, -group.low) / std::max(top - middle, 1.0F), middle};
  }
  const float scale = (group.high - group.low) / top;
  return {scale, std::clamp(std::nearbyint(-group.low / scale), 0.0F, top)};
}

}  // namespace onnxpress::weights
