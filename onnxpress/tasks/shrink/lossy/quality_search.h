// Finds the smallest choice of forms that keeps every output at a quality, also on inputs that were not used for the
// choice.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onnxpress/tasks/shrink/lossy/output_error.h"
#include "onnxpress/tasks/shrink/lossy/weight_plan.h"

namespace onnxpress::tasks {

struct QualityResult {
  bool holds = false;
  double reached = 0;  // dB: the worst output for the worst input
};

// Leaves the forms of that choice chosen. Where the quality cannot be held, those that come nearest.
QualityResult choose_by_quality(std::vector<PlannedWeight>& planned, OutputError& outputs, double quality,
                                const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress::tasks
