// Finds periods by axis. A tensor that repeats along two axes is described by one corner.
#include "onnxpress/weights/lossless/periods.h"

#include <numeric>

#include "onnxpress/weights/lossless/equal_slices.h"

namespace onnxpress::weights {

Periods periods_of(const Candidate& tensor) {
  Periods found;
  for (std::size_t axis = 0; axis < tensor.dims().size(); ++axis) {
    const auto n = static_cast<std::uint32_t>(tensor.dims()[axis]);
    const std::uint32_t period = period_of(equal_slices(tensor, axis, axis + 1), n);
    found.lengths.push_back(period);
    if (period == n) continue;
    found.any = true;
    found.all_single = found.all_single && period == 1;
  }
  return found;
}

std::vector<std::vector<std::uint32_t>> one_period(const Candidate& tensor, const Periods& periods) {
  std::vector<std::vector<std::uint32_t>> taken(tensor.dims().size());
  for (std::size_t axis = 0; axis < taken.size(); ++axis) {
    if (periods.lengths[axis] == static_cast<std::uint64_t>(tensor.dims()[axis])) continue;
    taken[axis].resize(periods.lengths[axis]);
    std::iota(taken[axis].begin(), taken[axis].end(), 0U);
  }
  return taken;
}

}  // namespace onnxpress::weights
