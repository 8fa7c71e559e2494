// Generated inputs for a run: random numbers that the model can take.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::tasks {

// `how` is "random", "ones" or "zeros". Random floats are normal, mean 0 and deviation 1; bools are even chances;
// integers are from 0 up to what they index (a Gather's data), else below 2. The same seed and name give the same
// numbers everywhere. Throws Error for types that cannot be made up.
ops::Array made_input(const Value& input, ElementType type, const ops::Sizes& sizes, std::string_view how,
                      std::uint64_t seed, const analysis::Facts& facts);

// How many entries an integer input may choose from: the size of the axis it gathers from, or the depth of a OneHot,
// also through ops that only move it. nullopt: it chooses nothing.
std::optional<std::int64_t> index_limit(const Value& value, const analysis::Facts& facts, int depth);

// What dims that were not given become. The first of several is a batch more often than not, and a batch has one size
// wherever its name stands.
struct OpenDims {
  std::int64_t batch = 1, others = 1;
  std::set<const Symbol*> batches;                   // names of first dims
  std::map<const Symbol*, std::int64_t> sizes = {};  // of single symbols, whatever else is said
};
OpenDims open_dims(const Model& model, const analysis::Facts& facts, std::int64_t batch, std::int64_t others);

// The sizes of an input to be made up: `open` for dims that were not given, whose names are added to `assumed`. Throws
// Error when not even the rank is known.
ops::Sizes sizes_to_make(const Value& input, const analysis::Facts& facts, const OpenDims& open,
                         std::vector<std::string>& assumed);

// All inputs of a model that must be given, made up at random: not those with an initializer, nor optional ones. Throws
// Error as above.
std::vector<std::pair<std::string, ops::Array>> made_inputs(const Model& model, const analysis::Facts& facts,
                                                            const OpenDims& open, std::uint64_t seed);

}  // namespace onnxpress::tasks
