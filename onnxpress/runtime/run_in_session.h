// Runs a model that is being changed in ONNX Runtime, for tasks that compare its outputs before and after.
#pragma once

#include <memory>

#include "onnxpress/runtime/onnx_runtime.h"
#include "onnxpress/tasks/shrink/lossy/model_runner.h"

namespace onnxpress::runtime {

// Each call makes a session for the model as it is at that time. Ops that draw random numbers get a seed in that
// session, so that two runs can be compared.
tasks::LoadModel load_in_session(std::shared_ptr<const OnnxRuntime> runtime);

}  // namespace onnxpress::runtime
