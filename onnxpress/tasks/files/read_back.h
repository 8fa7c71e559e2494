// A model as a reader of its file would see it, without writing a file.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Encodes the model and decodes it again. Values that had no name get one. Throws Error.
Model read_back(Model& model);

}  // namespace onnxpress
