// `onnxpress profile --time`: measures a model in ONNX Runtime and assigns the times to its nodes.
#pragma once

#include <string>

#include "onnxpress/engines/ort/kernel_times.h"
#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress {

// Fills in report.time and the microseconds of nodes and layers. Inputs are made up, with the sizes that the report
// assumed. A kernel that the runtime fused from several nodes counts for the one with its operator, or else for one
// that does work. Throws Error when the model does not run.
void add_times(const std::shared_ptr<const engines::OnnxRuntime>& runtime, const std::string& path,
               const ProfileOptions& options, const engines::TimeSettings& settings, ProfileReport& report);

}  // namespace onnxpress
