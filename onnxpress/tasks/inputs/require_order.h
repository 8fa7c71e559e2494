// Refuses models with cycles, for tasks that follow the order of the nodes.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress::tasks {

// A model whose nodes wait for each other cannot run, so there is nothing to preserve. Throws Error.
void require_order(const Model& model);

}  // namespace onnxpress::tasks
