// How far a model is from itself when what it is given moves a little: no two implementations of it agree better.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/verify/engine.h"
#include "onnxpress/tasks/verify/nudge.h"

namespace onnxpress::tasks {

class Floor {
 public:
  Floor(const Model& model, const analysis::Facts& facts, const Engine& engine);

  // Of the coarsest float type that the model computes with.
  double epsilon() const { return epsilon_; }

  // Outputs of `opened`, which is the model in the engine, when its floats move in one of kWays: inputs in kDirections,
  // then the weights, by a few roundings. Where no input is a float, what the first embedding gives moves instead.
  // Empty: nothing can be moved, or it does not run then.
  static constexpr std::size_t kWays = kDirections + 1;
  std::vector<ops::Datum> run(RunnableModel& opened, const NamedArrays& inputs, std::size_t way);

 private:
  std::vector<ops::Datum> run_moved_model(const NamedArrays& inputs, std::size_t direction);
  std::vector<ops::Datum> run_moved_weights(const NamedArrays& inputs);

  const Model& model_;
  const analysis::Facts& facts_;
  const Engine& engine_;
  double nudge_, epsilon_;
  // Of the direction that every set of inputs needs; the others are opened when they are.
  std::optional<Model> moved_model_, moved_weights_;
  std::unique_ptr<RunnableModel> moved_, with_moved_weights_;
};

}  // namespace onnxpress::tasks
