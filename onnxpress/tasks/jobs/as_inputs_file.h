// From file to file: constants become inputs of the model, and .npy files next to the result.
#pragma once

#include <string>

#include "onnxpress/tasks/edit/as_inputs.h"
#include "onnxpress/tasks/report/field_lists/edit.h"

namespace onnxpress {

// Writes OUTPUT, an .npy file for each new input, and OUTPUT.npy.json, which lists them. Throws Error, and writes
// nothing then: if a constant is not there or cannot become an input, or its type is none of NumPy's.
TensorReport constants_as_inputs(const std::string& input, const std::string& output, const TensorOptions& options);

}  // namespace onnxpress
