// Takes outputs off a graph: only for those who cut a model, since its interface changes.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress {

// All outputs; those who keep some add them again. The values stay.
void remove_outputs(Graph& graph);

}  // namespace onnxpress
