// Which value of one model corresponds to which value of another: by name or, if names do not help, by structure.
#pragma once

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/verify/same_model.h"

namespace onnxpress::tasks {

// From results of nodes in the first main graph to those in the second. Names are believed when most nodes that have
// the same result names are of the same op. What is left is matched by how it is computed from the inputs, contents of
// constants and attributes aside, in the order of the graphs.
MatchedValues match_values(const Model& first, const Model& second);

}  // namespace onnxpress::tasks
