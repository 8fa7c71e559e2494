// The steps of `shrink` on a model in memory, in the order in which they run.
#pragma once

#include <functional>
#include <string>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::tasks {

// Runs all steps that the options ask for. The report has the methods, the largest savings and the sizes before and
// after. Names of extracted files are derived from `output`. Throws Error.
ShrinkReport run_pipeline(LoadedModel& loaded, const std::string& output, const ShrinkOptions& options,
                          const std::function<void(std::uint64_t done, std::uint64_t total)>& progress,
                          ExtraFiles& extra);

}  // namespace onnxpress::tasks
