// Writes a changed model to its file: under a temporary name first, then reads it back, compares it with the intended
// model, and only then renames it.
#pragma once

#include <string>

#include "onnxpress/tasks/files/convert.h"

namespace onnxpress {

// Weights that were in external files go to one next to the output. Throws Error; then existing files are not touched.
void write_checked(LoadedModel& loaded, const std::string& output, const LoadOptions& load,
                   const ConvertStreams& streams, const ResultCheck& check, ConvertReport& written);

}  // namespace onnxpress
