// Moves inputs or, where they are no floats, the model.
#include "onnxpress/tasks/verify/floor.h"

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/verify/distance.h"

namespace onnxpress::tasks {

Floor::Floor(const Model& model, const analysis::Facts& facts, const Engine& engine)
    : model_(model),
      facts_(facts),
      engine_(engine),
      nudge_(nudge_of(model, facts)),
      epsilon_(coarsest_epsilon(model, facts)) {}

std::vector<ops::Datum> Floor::run(RunnableModel& opened, const NamedArrays& inputs, std::size_t way) {
  const bool has_floats = std::ranges::any_of(inputs, [](const auto& each) { return is_real(each.second.type()); });
  try {
    if (way == kDirections) return run_moved_weights(inputs);
    return has_floats ? opened.run(nudged(inputs, nudge_, way)) : run_moved_model(inputs, way);
  } catch (const Error&) {  // then there is no floor but rounding
    return {};
  }
}

std::vector<ops::Datum> Floor::run_moved_model(const NamedArrays& inputs, std::size_t direction) {
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

std::vector<ops::Datum> Floor::run_moved_weights(const NamedArrays& inputs) {
  constexpr double kRoundings = 1;  // more would hide a weight that is really another
  if (!moved_weights_) {
    moved_weights_ = nudged_weights(model_, std::min(nudge_, kRoundings * epsilon_));
    if (moved_weights_) with_moved_weights_ = engine_.open(*moved_weights_);
  }
  return with_moved_weights_ ? with_moved_weights_->run(inputs) : std::vector<ops::Datum>();
}

}  // namespace onnxpress::tasks
