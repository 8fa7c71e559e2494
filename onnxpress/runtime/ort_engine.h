// ONNX Runtime as an engine for tasks that run models, and which engine a user means.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "onnxpress/runtime/onnx_runtime.h"
#include "onnxpress/tasks/verify/engine.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress::runtime {

// With optimizations off, so that what the files say is run, and not what the optimizer makes of it.
std::shared_ptr<const tasks::Engine> ort_engine(std::shared_ptr<const OnnxRuntime> runtime,
                                                const std::string& provider = {});

struct EngineWish {
  std::optional<tasks::RuntimeChoice> runtime;
  std::string provider;
  std::string library;  // path of ONNX Runtime, where the caller knows it; empty: it is looked for
};
// Nothing chosen: ONNX Runtime if there is one, else our evaluator. Throws Error when ONNX Runtime was asked for and is
// not there, or when it does not have the provider (providers.h).
tasks::Engines engines_for(const EngineWish& wish = {});

}  // namespace onnxpress::runtime
