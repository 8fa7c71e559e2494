// Engine: runs models. One engine is the built-in evaluator; find_engine.h finds ONNX Runtime, if it is installed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/budget.h"

namespace onnxpress::engines {

using NamedArrays = std::vector<std::pair<std::string, ops::Array>>;
NamedArrays arrays_of(const analysis::Evaluator::Inputs& inputs);

// How a model is loaded. The built-in evaluator has no use for any of these.
struct EngineSettings {
  // The runtime's own optimizations. Without them the graph runs as the file has it.
  bool optimize = false;
  // When ONNX Runtime packs weights while loading, it picks different kernels, which round differently, for weights of
  // the graph itself and for those of a graph two bodies further out. So this must be off to compare bits.
  bool pack_weights = false;
  // Ops that draw random numbers get a seed, and each run starts from it again, so that two runs can be compared.
  bool seed_random = false;
  // Weights may have been replaced without marking them as changed, so the model's file must not be used instead.
  bool encode_anew = false;
  int threads = 0;  // 0: the runtime decides
};

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
  // Is it the built-in evaluator, which is much slower than a runtime?
  virtual bool is_evaluator() const { return false; }
  // The model must outlive the result and must not change. Throws Error when the engine refuses it.
  virtual std::unique_ptr<Session> open(const Model& model, const EngineSettings& settings = {}) const = 0;
};

using Engines = std::vector<std::shared_ptr<const Engine>>;

// Thrown when a run takes more memory or work than it may. Other inputs would hardly take less.
class TooMuchToRun : public Error {
 public:
  using Error::Error;
};

// Thrown when a runtime crashed or gave no answer in time. Other inputs would probably end the same way, so it is not
// caught where a run may fail.
class EngineDied : public Error {
 public:
  EngineDied(const std::string& message, bool timed_out, const std::string& hint)
      : Error("", message, hint), timed_out_(timed_out) {}
  bool timed_out() const { return timed_out_; }

 private:
  bool timed_out_;
};

// The built-in evaluator; by default, within the budget for a model of its size.
std::shared_ptr<const Engine> evaluator_engine(std::optional<ops::EvaluationBudget> budget = std::nullopt);

}  // namespace onnxpress::engines
