// Engine: runs models. Tasks do not know any runtime; callers pass engines (runtime/ort_engine.h has the one for ONNX
// Runtime), and the built-in evaluator is one as well.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::engines {

using NamedArrays = std::vector<std::pair<std::string, ops::Array>>;

// A model that an engine has loaded.
class Session {
 public:
  virtual ~Session() = default;
  // All outputs, in the order of the graph. Throws Error when it cannot run.
  virtual std::vector<ops::Datum> run(const NamedArrays& inputs) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  // "ONNX Runtime 1.31.1"
  // The model must outlive the result and must not change. Throws Error when the engine refuses it.
  virtual std::unique_ptr<Session> open(Model& model) const = 0;
};

using Engines = std::vector<std::shared_ptr<const Engine>>;

// The built-in evaluator.
std::shared_ptr<const Engine> evaluator_engine();

}  // namespace onnxpress::engines
