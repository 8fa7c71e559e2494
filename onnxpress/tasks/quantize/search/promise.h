// Finds the smallest choice of forms that keeps every output at a quality, also on inputs that were not used for the
// choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "onnxpress/tasks/quantize/output_error.h"
#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

struct QualityGoal {
  double quality = 0;   // dB
  double may_miss = 0;  // fraction of the inputs that may have less
};

struct QualityResult {
  bool holds = false;
  double reached = 0;              // dB: the worst output for the worst input that must not miss the quality
  std::size_t without_effect = 0;  // weights that changed no output when they were rounded alone
};

// Sets `chosen` of all weights to that choice or, if the quality cannot be reached, to one that comes close.
QualityResult choose_by_quality(std::vector<PlannedWeight>& planned, OutputError& outputs, const QualityGoal& goal,
                                const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress
