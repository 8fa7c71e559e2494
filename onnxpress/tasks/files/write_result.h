// Writes a changed model; weights that were in an external file stay in one.
#pragma once

#include <string>
#include <vector>

#include "onnxpress/tasks/files/convert.h"

namespace onnxpress::tasks {

// Throws Error.
std::vector<WrittenFile> write_result(LoadedModel& loaded, const std::string& output, const LoadOptions& options,
                                      const ConvertStreams& streams);

}  // namespace onnxpress::tasks
