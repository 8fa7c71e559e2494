// The user's own inputs: a folder of NumPy files, each sample an input for the model.
#pragma once

#include <string>
#include <vector>

#include "onnxpress/inputs/input_set.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::inputs {

// A sample is an .npz file with an array for each input; or a folder with `<input>.npy` files (as `onnxpress run
// --output-dir` writes them) or `input_0.pb` files (as the official test data has them); or an .npy file, for models
// with one input. Sorted by name; an empty path gives none. Throws Error when the folder has none, or one does not fit.
std::vector<InputSet> read_samples(const std::string& folder, const Model& model);

}  // namespace onnxpress::inputs
