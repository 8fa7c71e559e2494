// Moves weights from external files into the model, where a message can hold them.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Weights stay mapped: nothing is copied. Throws Error if an external file cannot be read.
void take_weights_inside(Model& model);

}  // namespace onnxpress
