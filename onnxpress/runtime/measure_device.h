// Measures how fast this machine is in ONNX Runtime: the roof that `profile --time` compares nodes with.
#pragma once

#include <memory>

#include "onnxpress/runtime/kernel_times.h"
#include "onnxpress/tasks/profile/device.h"

namespace onnxpress::runtime {

// Runs a product of two matrices and a sum of two large vectors: the median of several runs. Throws Error when the
// runtime does not run them.
tasks::Device measure_device(const std::shared_ptr<const OnnxRuntime>& runtime, int threads);

}  // namespace onnxpress::runtime
