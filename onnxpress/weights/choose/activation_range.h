// Which range of an activation its 8-bit codes cover: values outside are clipped, so that the steps inside are finer.
#pragma once

#include <cstdint>
#include <span>

#include "onnxpress/passes/integer/static_ops.h"

namespace onnxpress::weights {

using passes::ActivationRange;

enum class RangeMethod : std::uint8_t {
  kMinMax,      // nothing is clipped
  kPercentile,  // one of 20,000 numbers on each side is
  kMse,         // the least squared error
  kEntropy,     // codes that tell most about the distribution (least Kullback-Leibler divergence)
};

// Of numbers that were seen. `low` and `high` are the extremes of all of them, of which there may be more than `seen`;
// 0 is always inside.
ActivationRange choose_range(RangeMethod method, std::span<const float> seen, float low, float high);

}  // namespace onnxpress::weights
