// ONNX Runtime as an engine.
#pragma once

#include <memory>
#include <string>

#include "onnxpress/engines/engine.h"
#include "onnxpress/engines/ort/onnx_runtime.h"

namespace onnxpress::engines {

std::shared_ptr<const Engine> ort_engine(std::shared_ptr<const OnnxRuntime> runtime, const std::string& provider = {});

}  // namespace onnxpress::engines
