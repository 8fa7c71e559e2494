// Inputs made up for a run: random numbers that the model can take.
#pragma once

#include <string_view>

#include "onnxpress/analysis/facts.h"
#include "onnxpress/ops/array.h"

namespace onnxpress::tasks {

// `how` is "random", "ones" or "zeros". Random floats are normal, mean 0 and deviation 1; bools are even chances;
// integers are from 0 up to what they index (a Gather's data), else below 2. The same seed and name give the same
// numbers everywhere. Throws Error for types that cannot be made up.
ops::Array made_input(const Value& input, ElementType type, const ops::Sizes& sizes, std::string_view how,
                      std::uint64_t seed, const analysis::Facts& facts);

}  // namespace onnxpress::tasks
