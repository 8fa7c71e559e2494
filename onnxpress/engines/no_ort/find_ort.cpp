// For builds that cannot load shared libraries: there is no ONNX Runtime.
#include "onnxpress/engines/find_engine.h"

namespace onnxpress::engines {

std::shared_ptr<const Engine> find_ort(const EngineWish&) { return nullptr; }

}  // namespace onnxpress::engines
