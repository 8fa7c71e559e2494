// Asks for ONNX Runtime, and falls back to the built-in evaluator.
#include "onnxpress/engines/find_engine.h"

#include "onnxpress/base/error.h"

namespace onnxpress::engines {

Engines engines_for(const EngineWish& wish) {
  if (wish.runtime == RuntimeChoice::kOnnxpress) return {evaluator_engine()};
  auto ort = find_ort(wish);
  if (!ort && !wish.runtime && wish.provider.empty()) return {evaluator_engine()};
  if (!ort) throw Error("", "no ONNX Runtime was found", kHowToGet);
  Engines engines{std::move(ort)};
  if (wish.runtime == RuntimeChoice::kBoth) engines.push_back(evaluator_engine());
  return engines;
}

}  // namespace onnxpress::engines
