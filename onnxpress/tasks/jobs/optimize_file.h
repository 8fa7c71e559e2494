// `optimize` from file to file.
#pragma once

#include <string>

#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress {

// Reads, optimizes, checks and writes a model. A model that nothing changes is copied. Throws Error; then nothing is
// written.
OptimizeReport optimize_file(const std::string& input, const std::string& output, const OptimizeOptions& options,
                             const ConvertStreams& streams = {}, const StepListener& after_step = {});

}  // namespace onnxpress
