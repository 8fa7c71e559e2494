// Removes outputs of a graph. Only for code that cuts a model, because it changes the interface.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Removes all outputs; to keep some, add them again. The values stay.
void remove_outputs(Graph& graph);

}  // namespace onnxpress
