// Small changes to the inputs of a model, to see how much its outputs move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/engines/engine.h"

namespace onnxpress::compare {

// By which share floats are moved: a millionth, or the epsilon of the coarsest float type that the model computes with,
// whichever is larger.
double nudge_of(const Model& model, const analysis::Facts& facts);
// The epsilon of that type.
double coarsest_epsilon(const Model& model, const analysis::Facts& facts);

// A small change can be made in many directions, and one of them may happen to have no effect: if neighbours move in
// opposite directions, their sum hardly changes. So there are several: each element by itself, all together, and
// blocks.
constexpr std::size_t kDirections = 8;

// Every float moved up or down by that share of itself.
engines::NamedArrays nudged(const engines::NamedArrays& inputs, double nudge, std::size_t direction = 0);

// For models without float inputs: a copy in which the first floats that depend on inputs (the results of an embedding)
// are moved. nullopt when there are none.
std::optional<Model> nudged_model(const Model& model, const analysis::Facts& facts, double nudge,
                                  std::size_t direction = 0);

// 1 or -1 for the i-th of many numbers.
double random_sign(std::size_t i, std::uint64_t seed);

}  // namespace onnxpress::compare
