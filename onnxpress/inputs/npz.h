// NumPy's .npz files: arrays by name, in a zip file.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::inputs {

// As np.savez and np.savez_compressed write them. Throws Error for damaged files, and in builds without libzip.
std::vector<std::pair<std::string, ops::Array>> read_npz(const std::filesystem::path& path);

}  // namespace onnxpress::inputs
