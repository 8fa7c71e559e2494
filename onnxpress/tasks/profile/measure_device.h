// Measures how fast this machine is in ONNX Runtime: the roof that `profile --time` compares nodes with.
#pragma once

#include <memory>

#include "onnxpress/engines/ort/kernel_times.h"
#include "onnxpress/tasks/profile/device.h"

namespace onnxpress {

// Runs products of two matrices and sums of two vectors; the fastest of several runs counts. Throws Error when the
// runtime cannot run them.
Device measure_device(const std::shared_ptr<const engines::OnnxRuntime>& runtime, int threads);

}  // namespace onnxpress
