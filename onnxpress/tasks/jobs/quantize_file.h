// `quantize` from file to file.
#pragma once

#include <string>

#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/quantize/quantize.h"

namespace onnxpress {

// Reads, quantizes, checks and writes a model; the output is never larger, unless layers were asked to compute with
// integers. If a goal is missed, nothing is written, and the report says why (`refused`). Throws Error.
QuantizeReport quantize_file(const std::string& input, const std::string& output, const QuantizeOptions& options,
                             const ConvertStreams& streams);

}  // namespace onnxpress
