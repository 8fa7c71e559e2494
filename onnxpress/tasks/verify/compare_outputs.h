// Compares the outputs of two models bit for bit. ONNX Runtime runs both on the same made-up inputs.
#pragma once

#include <memory>

#include "onnxpress/engines/ort/onnx_runtime.h"
#include "onnxpress/tasks/shrink/output_comparison.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress::tasks {

// Runs with optimizations off, so that the files themselves are compared and not what the optimizer makes of them. Open
// dims are tried as 1, then larger. If there is no runtime, or the original does not load or run, or gives other bits
// each time, nothing is compared and the reason is returned. Throws Error when the result does not load or run, or
// differs.
tasks::OutputComparison compare_outputs(const std::shared_ptr<const engines::OnnxRuntime>& runtime,
                                        const tasks::ModelPair& pair);
// The same for models in memory. `options` determines the inputs.
tasks::OutputComparison compare_outputs(const std::shared_ptr<const engines::Engine>& engine, Model& original,
                                        Model& result, const tasks::VerifyOptions& options);

}  // namespace onnxpress::tasks
