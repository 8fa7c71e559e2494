// Generated inputs for a run: random numbers that the model can take.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/inputs/sizes.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::inputs {

// `how` is "random", "ones" or "zeros". Random floats are normally distributed with mean 0 and deviation 1; bools are
// true half of the time; integers are below the size of the axis that they index (a Gather's data), or else below 2.
// The same seed and name give the same numbers everywhere. Throws Error for types that cannot be generated.
ops::Array made_input(const Value& input, ElementType type, const ops::Sizes& sizes, std::string_view how,
                      std::uint64_t seed, const analysis::Facts& facts);

// How many entries an integer input can select from: the size of the axis it gathers from, or the depth of a OneHot,
// also through ops that only move it. nullopt if it is not used as an index.
std::optional<std::int64_t> index_limit(const Value& value, const analysis::Facts& facts, int depth);

// Inputs that callers must provide: not those with a default, such as the weights that IR version 3 lists as inputs.
std::vector<const ValueInfo*> inputs_to_give(const Model& model);

// Random arrays for all required inputs of a model: not for those with an initializer, nor for optional ones. Throws
// Error as above.
std::vector<std::pair<std::string, ops::Array>> made_inputs(const Model& model, const analysis::Facts& facts,
                                                            const OpenDims& open, std::uint64_t seed);

}  // namespace onnxpress::inputs
