// Finds the node where two models begin to differ: runs both with all inner values as outputs, as a debugger would.
#pragma once

#include "onnxpress/tasks/verify/engine.h"
#include "onnxpress/tasks/verify/location.h"

namespace onnxpress::tasks {

struct GivenModel {
  const Model& model;
  NamedArrays inputs;
};

// Ifs are replaced by the branch that is taken. Says in Location::why what is wrong with the node, or why none was
// found.
Location locate(const GivenModel& first, const GivenModel& second, const Engine& engine);

}  // namespace onnxpress::tasks
