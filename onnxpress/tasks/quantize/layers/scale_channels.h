// Scales channels between layers if that makes the layers after them better after rounding.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// Works on layers whose inputs were sampled. Each way to scale (weights/lossy/channel_scales.h) is judged by the
// results of the layers after it, on inputs that nothing was fitted to. The best one is used if it is clearly better
// than no scaling, and PlannedWeight::scaled names it. Results of the model stay the same, bit by bit. Returns what it
// changed.
std::vector<ScaledTensor> scale_channels(Model& model, std::vector<PlannedWeight>& planned,
                                         const QuantizeOptions& options,
                                         const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress
