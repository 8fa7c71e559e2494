// Refuses models with cycles, for tasks that follow the order of the nodes.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress::tasks {

// Nodes that wait for each other can be computed by nobody, so there is nothing to keep. Throws Error.
void require_order(const Model& model);

}  // namespace onnxpress::tasks
