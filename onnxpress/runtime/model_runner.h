// ONNX Runtime as something that runs models in memory, for `optimize --verify`.
#pragma once

#include <memory>

#include "onnxpress/runtime/onnx_runtime.h"
#include "onnxpress/tasks/optimize/compare_results.h"

namespace onnxpress::runtime {

// With its own optimizations off: what the files say is compared, and not what the optimizer makes of it.
tasks::ModelRunner session_runner(const std::shared_ptr<const OnnxRuntime>& runtime);

}  // namespace onnxpress::runtime
