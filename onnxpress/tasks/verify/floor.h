// How far the outputs of a model move when its inputs change slightly. No two implementations agree better than that.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/verify/engine.h"
#include "onnxpress/tasks/verify/nudge.h"
#include "onnxpress/tasks/verify/rounding.h"

namespace onnxpress::tasks {

class Floor {
 public:
  Floor(const Model& model, const analysis::Facts& facts, const Engine& engine);

  // Of the coarsest float type that the model computes with.
  double epsilon() const { return epsilon_; }

  // Outputs of `opened`, which is the model in the engine, when the floats of its inputs move in one of kDirections
  // ways. Where no input is a float, what the first embedding gives moves instead. Empty: nothing can be moved, or it
  // does not run then.
  std::vector<ops::Datum> run_moved(RunnableModel& opened, const NamedArrays& inputs, std::size_t direction);
  // Outputs when weights and inner values are rounded once more, in one of kDraws ways. Empty when it does not run
  // then.
  std::vector<ops::Datum> run_rounded(const NamedArrays& inputs, std::size_t draw);

 private:
  std::vector<ops::Datum> run_moved_model(const NamedArrays& inputs, std::size_t direction);

  const Model& model_;
  const analysis::Facts& facts_;
  const Engine& engine_;
  double nudge_, epsilon_;
  // Of the direction that every set of inputs needs; the others are opened when they are.
  std::optional<Model> moved_model_;
  std::optional<RoundedModel> rounded_model_;
  std::unique_ptr<RunnableModel> moved_, rounded_;
};

}  // namespace onnxpress::tasks
