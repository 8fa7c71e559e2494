// Finds the node where two models begin to differ, by running both with all inner values as outputs.
#pragma once

#include <optional>

#include "onnxpress/engines/engine.h"
#include "onnxpress/tasks/report/field_lists/verify.h"

namespace onnxpress {

struct GivenModel {
  const Model& model;
  engines::NamedArrays inputs;
};

// Ifs are replaced by the branch that is taken. Location::why says what is wrong with the node, or why none was found.
Location locate(const GivenModel& first, const GivenModel& second, const engines::Engine& engine);

// The first node of the first model that differs from its counterpart in the second one, found without running
// anything, for a second model that does not run. Throws Error when a constant cannot be read.
std::optional<Location> locate_by_structure(const Model& first, const Model& second);

}  // namespace onnxpress
