// Opens the ONNX Runtime of this machine as an engine.
#include "onnxpress/base/error.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/engines/ort/ort_engine.h"

namespace onnxpress::engines {

namespace {

std::shared_ptr<const OnnxRuntime> wished_runtime(const EngineWish& wish) {
  if (wish.library.empty()) return OnnxRuntime::find();
  try {
    return OnnxRuntime::open(wish.library);
  } catch (const Error&) {
    if (wish.runtime) throw;
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<const Engine> find_ort(const EngineWish& wish) {
  auto runtime = wished_runtime(wish);
  return runtime ? ort_engine(std::move(runtime), wish.provider) : nullptr;
}

}  // namespace onnxpress::engines
