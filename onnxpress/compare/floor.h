// How far the outputs of a model move when its inputs change slightly. No two implementations agree better than that.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/compare/nudge.h"
#include "onnxpress/compare/rounding.h"
#include "onnxpress/engines/engine.h"

namespace onnxpress::compare {

class Floor {
 public:
  Floor(const Model& model, const analysis::Facts& facts, const engines::Engine& engine);

  // The epsilon of the coarsest float type that the model computes with.
  double epsilon() const { return epsilon_; }

  // Outputs of `opened`, the model loaded in the engine, when the floats of its inputs change slightly in one of
  // kDirections ways. If no input is a float, the results of the first embedding change instead. Empty if nothing can
  // be changed, or the changed model does not run.
  std::vector<ops::Datum> run_moved(engines::Session& opened, const engines::NamedArrays& inputs,
                                    std::size_t direction);
  // Outputs when weights and inner values are rounded once more, in one of kDraws ways. Empty if that model does not
  // run.
  std::vector<ops::Datum> run_rounded(const engines::NamedArrays& inputs, std::size_t draw);

 private:
  std::vector<ops::Datum> run_moved_model(const engines::NamedArrays& inputs, std::size_t direction);

  const Model& model_;
  const analysis::Facts& facts_;
  const engines::Engine& engine_;
  double nudge_, epsilon_;
  // For direction 0, which every set of inputs needs; models for the other directions are made when they are needed.
  std::optional<Model> moved_model_;
  std::optional<RoundedModel> rounded_model_;
  std::unique_ptr<engines::Session> moved_, rounded_;
};

}  // namespace onnxpress::compare
