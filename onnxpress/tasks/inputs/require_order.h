// Refuses models that nobody can run, for tasks that follow the order of the nodes, and models without outputs.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress::tasks {

// Nodes that wait for each other can be computed by nobody, so there is nothing to keep. Throws Error.
void require_order(const Model& model);

// ONNX Runtime gives what no node reads where a model declares no outputs; we would take all of it for dead. Throws
// Error.
void require_outputs(const Model& model);

}  // namespace onnxpress::tasks
