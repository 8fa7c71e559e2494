// ONNX Runtime as an engine for tasks that run models, and the choice of an engine.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "onnxpress/runtime/onnx_runtime.h"
#include "onnxpress/tasks/verify/engine.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress::runtime {

// Optimizations are off, so that the model runs as the file has it, and not as the optimizer changes it.
std::shared_ptr<const tasks::Engine> ort_engine(std::shared_ptr<const OnnxRuntime> runtime,
                                                const std::string& provider = {});

struct EngineWish {
  std::optional<tasks::RuntimeChoice> runtime;
  std::string provider;
  std::string library;  // path of ONNX Runtime, if the caller knows it; empty: search for it
};
// If nothing is chosen: ONNX Runtime if it is installed, else our evaluator. Throws Error when ONNX Runtime was asked
// for and is missing, or when it does not have the provider (providers.h).
tasks::Engines engines_for(const EngineWish& wish = {});

}  // namespace onnxpress::runtime
