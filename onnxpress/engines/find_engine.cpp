// Asks for ONNX Runtime, and falls back to the built-in evaluator.
#include "onnxpress/engines/find_engine.h"

#include "onnxpress/base/error.h"
#include "onnxpress/engines/own_process.h"

namespace onnxpress::engines {

namespace {

std::shared_ptr<const Engine> evaluator_for(const EngineWish& wish) {
  auto engine = evaluator_engine();
  return wish.seconds > 0 ? in_own_process(std::move(engine), wish.seconds) : engine;
}

}  // namespace

Engines engines_for(const EngineWish& wish) {
  if (wish.runtime == RuntimeChoice::kOnnxpress) return {evaluator_for(wish)};
  auto ort = find_ort(wish);
  if (!ort && !wish.runtime && wish.provider.empty()) return {evaluator_for(wish)};
  if (!ort) throw Error("", "no ONNX Runtime was found", kHowToGet);
  Engines engines{in_own_process(std::move(ort), wish.seconds > 0 ? wish.seconds : patience())};
  if (wish.runtime == RuntimeChoice::kBoth) engines.push_back(evaluator_for(wish));
  return engines;
}

std::shared_ptr<const Engine> engine_for(const EngineOptions& options, const std::string& library) {
  EngineWish wish{.library = library};
  if (options.engine)
    wish.runtime = *options.engine == EngineName::kOrt ? RuntimeChoice::kOrt : RuntimeChoice::kOnnxpress;
  return engines_for(wish).front();
}

}  // namespace onnxpress::engines
