// Small changes to what a model is given, to see how much its outputs move by themselves.
#pragma once

#include <optional>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/verify/engine.h"

namespace onnxpress::tasks {

// By how much a model's floats are moved: a millionth, or one place of the coarsest float type that it computes with.
double nudge_of(const Model& model, const analysis::Facts& facts);
// The epsilon of that type.
double coarsest_epsilon(const Model& model, const analysis::Facts& facts);

// Every float moved up or down by that share of itself.
NamedArrays nudged(const NamedArrays& inputs, double nudge);

// For models whose inputs are no floats: a copy in which the first floats that depend on inputs (what an embedding
// gives) are moved. nullopt when there are none.
std::optional<Model> nudged_model(const Model& model, const analysis::Facts& facts, double nudge);

}  // namespace onnxpress::tasks
