// `shrink` from file to file.
#pragma once

#include <string>

#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress {

// Reads, shrinks, checks and writes a model; the output is never larger. Throws Error.
ShrinkReport shrink_file(const std::string& input, const std::string& output, const ShrinkOptions& options,
                         const ConvertStreams& streams);

}  // namespace onnxpress
