// Runs a model on slightly changed inputs or, if they are not floats, with slightly changed embeddings or rounded
// results, and keeps how far its outputs move.
#include "onnxpress/compare/floor.h"

#include <algorithm>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/compare/distance.h"

namespace onnxpress::compare {

Floor::Floor(const Model& model, const analysis::Facts& facts, const engines::Engine& engine)
    : model_(model),
      facts_(facts),
      engine_(engine),
      nudge_(nudge_of(model, facts)),
      epsilon_(coarsest_epsilon(model, facts)) {}

std::vector<ops::Datum> Floor::run_moved(engines::Session& opened, const engines::NamedArrays& inputs,
                                         std::size_t direction) {
  const bool has_floats = std::ranges::any_of(inputs, [](const auto& each) { return is_real(each.second.type()); });
  try {
    return has_floats ? opened.run(nudged(inputs, nudge_, direction)) : run_moved_model(inputs, direction);
  } catch (const Error&) {  // then only differences as small as rounding are accepted
    return {};
  }
}

std::vector<ops::Datum> Floor::run_moved_model(const engines::NamedArrays& inputs, std::size_t direction) {
  if (direction > 0) {
    auto model = nudged_model(model_, facts_, nudge_, direction);
    return model ? engine_.open(*model)->run(inputs) : std::vector<ops::Datum>();
  }
  if (!moved_model_) {
    moved_model_ = nudged_model(model_, facts_, nudge_);
    if (moved_model_) moved_ = engine_.open(*moved_model_);
  }
  return moved_ ? moved_->run(inputs) : std::vector<ops::Datum>();
}

std::vector<ops::Datum> Floor::run_rounded(const engines::NamedArrays& inputs, std::size_t draw) {
  try {
    if (!rounded_model_) {
      rounded_model_.emplace(model_, facts_, epsilon_);
      rounded_ = engine_.open(rounded_model_->model());
    }
    if (!rounded_) return {};  // it did not load
    engines::NamedArrays given = inputs;
    for (auto& each : rounded_model_->factors(draw)) given.push_back(std::move(each));
    return rounded_->run(given);
  } catch (const Error&) {  // perhaps a size that is computed as a float has changed
    return {};
  }
}

}  // namespace onnxpress::compare
