// Runs a model that is being changed in ONNX Runtime, for tasks that compare its outputs before and after.
#pragma once

#include <memory>

#include "onnxpress/engines/model_runner.h"
#include "onnxpress/engines/ort/onnx_runtime.h"

namespace onnxpress::engines {

// Each call makes a session for the model as it is at that time. Ops that draw random numbers get a seed in that
// session, so that two runs can be compared.
LoadModel load_in_session(std::shared_ptr<const OnnxRuntime> runtime);

}  // namespace onnxpress::engines
