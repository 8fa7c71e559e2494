// Which range of an activation its 8-bit codes cover: values outside are clipped, so that the steps inside are finer.
#pragma once

#include <cstdint>
#include <span>

#include "onnxpress/passes/integer/static_ops.h"

namespace onnxpress::weights {

using passes::ActivationRange;

enum class RangeMethod : std::uint8_t {
  kMinMax,      // nothing is clipped
  kPercentile,  // one in 20,000 numbers is clipped on each side
  kMse,         // the least squared error
  kEntropy,     // codes that keep most of the distribution (least Kullback-Leibler divergence)
};

// `seen` is a sample of the activation's numbers; `low` and `high` are the extremes of all of them. The range always
// contains 0.
ActivationRange choose_range(RangeMethod method, std::span<const float> seen, float low, float high);

}  // namespace onnxpress::weights
