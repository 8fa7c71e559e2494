// Meets `--max-download`: tries bits for the weights until the compressed file is small enough.
#pragma once

#include <string>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::tasks {

// Like shrink(). Throws Error with the smallest size that was reached if that is too large.
ShrinkReport shrink_to_download(const std::string& input, const std::string& output, const ShrinkOptions& options,
                                const ConvertStreams& streams);

}  // namespace onnxpress::tasks
