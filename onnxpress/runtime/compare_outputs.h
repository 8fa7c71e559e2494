// Do two models give the same outputs, bit for bit? ONNX Runtime runs both on the same made-up inputs.
#pragma once

#include <memory>

#include "onnxpress/runtime/onnx_runtime.h"
#include "onnxpress/tasks/shrink/output_comparison.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress::runtime {

// With optimizations off, so that what the files say is compared and not what the optimizer makes of it. Dims that the
// model leaves open are tried as 1, then larger. A null runtime, and an original that does not load or run, or gives
// other bits each time, are reasons not to compare. Throws Error when the result does not load or run, or differs.
tasks::OutputComparison compare_outputs(const std::shared_ptr<const OnnxRuntime>& runtime,
                                        const tasks::ModelPair& pair);
// The same with models in memory. `options` says what inputs they get.
tasks::OutputComparison compare_outputs(const std::shared_ptr<const tasks::Engine>& engine, Model& original,
                                        Model& result, const tasks::VerifyOptions& options);

}  // namespace onnxpress::runtime
