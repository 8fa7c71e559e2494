// Refuses models with cycles, for tasks that follow the order of the nodes, and models without outputs.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress {

// A model with a cycle cannot run, so there is nothing to preserve. Throws Error.
void require_order(const Model& model);

// If a model declares no outputs, ONNX Runtime returns every value that no node reads; we would remove all of them as
// dead. Throws Error.
void require_outputs(const Model& model);

}  // namespace onnxpress
