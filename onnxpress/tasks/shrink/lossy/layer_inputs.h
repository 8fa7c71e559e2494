// Samples of the vectors that the layers of a model multiply with their weights, recorded in runs of the model.
#pragma once

#include <functional>
#include <vector>

#include "onnxpress/tasks/shrink/lossy/output_error.h"
#include "onnxpress/tasks/shrink/lossy/weight_plan.h"

namespace onnxpress::tasks {

// Sets `layer` and `bias` of the weights that may change, where all users of one are layers of the main graph: Conv,
// Gemm and MatMul with the weight on the right. (For ConvTranspose it did not help: results are sums of products of
// neighbouring pixels, whose errors go together.) Others stay without. Models that cannot be run change nothing.
void sample_layers(Model& model, std::vector<PlannedWeight>& planned, const OutputError& outputs,
                   const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress::tasks
