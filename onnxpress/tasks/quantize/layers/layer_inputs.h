// Samples of the vectors that the layers of a model multiply with their weights, recorded in runs of the model.
#pragma once

#include <functional>
#include <vector>

#include "onnxpress/tasks/quantize/output_error.h"
#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// Sets `layer` and `bias` of each weight that may change and is used only by layers of the main graph: Conv, Gemm, and
// MatMul with the weight on the right. (It did not help for ConvTranspose: its results are sums of products of
// neighbouring pixels, whose errors are correlated.) Does nothing if the model cannot be run.
void sample_layers(Model& model, std::vector<PlannedWeight>& planned, const OutputError& outputs,
                   const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress
