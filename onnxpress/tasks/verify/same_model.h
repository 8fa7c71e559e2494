// Is a model that was written the one that was meant? Compares nodes, connections, attributes and all constants.
#pragma once

#include <string_view>
#include <unordered_map>

#include "onnxpress/ir/model.h"

namespace onnxpress::tasks {

// Weights that were rounded on purpose: the largest difference that may be found in them, by name.
using RoundedWeights = std::unordered_map<std::string_view, double>;

// Both models must have the same interface and the same nodes in the same order, connected in the same way. Constants
// are compared by value, however they are stored: a chain is computed, one at a time. Dead nodes must be gone from
// both. Throws Error that names the first difference: a defect of ours.
void require_same_model(const Model& before, const Model& after, const RoundedWeights& rounded = {});

}  // namespace onnxpress::tasks
