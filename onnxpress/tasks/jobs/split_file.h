// Splits a model file: writes the stages, and a manifest that lists them.
#pragma once

#include <string>

#include "onnxpress/tasks/report/field_lists/parts.h"

namespace onnxpress {

// Writes OUTPUT.0.onnx, OUTPUT.1.onnx, ... and OUTPUT.json, the manifest: all of them, or none. Throws Error.
SplitReport split_file(const std::string& input, const std::string& output, const SplitOptions& options);

}  // namespace onnxpress
