// Half-quadratic quantization (Badri and Shaji, 2023): with the scale of min-max, the zero point that makes the p-norm
// (p = 0.7) of the error small, which tolerates outliers. Without `offset`, the zero point is a whole number here, so
// that zeros stay zero.
#include <algorithm>
#include <cmath>

#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress::weights {

GroupScale scale_by_hqq(const Group& group, const Scheme& scheme) {
  constexpr double kNorm = 0.7, kGrowth = 1.01;
  constexpr int kIterations = 20;
  GroupScale result = scale_by_min_max(group, scheme);
  if (scheme.symmetric) return result;
  const double top = scheme.level_count() - 1, inverse = 1 / static_cast<double>(result.scale);
  double zero = result.zero, beta = 10, best_error = INFINITY, best_zero = zero;
  for (int i = 0; i < kIterations; ++i, beta *= kGrowth) {
    double sum = 0, error = 0;
    for (const float x : group.x) {
      const double code = std::clamp(std::nearbyint(x * inverse + zero), 0.0, top);
      const double off = x - (code - zero) / inverse, size = std::abs(off);
      const double kept = size == 0 ? 0 : std::max(0.0, size - std::pow(size, kNorm - 1) / beta);
      sum += code - (x - std::copysign(kept, off)) * inverse;
      error += size;
    }
    if (error < best_error) best_error = error, best_zero = zero;
    zero = sum / static_cast<double>(group.x.size());
  }
  if (!takes_offset(group, scheme)) best_zero = std::clamp(std::nearbyint(best_zero), 0.0, top);
  result.zero = static_cast<float>(best_zero);
  return result;
}

}  // namespace onnxpress::weights
