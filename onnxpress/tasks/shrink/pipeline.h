// The steps of `shrink` on a model in memory, in the order in which they run.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/passes/whole/extract_constants.h"
#include "onnxpress/tasks/shrink/changes.h"
#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::tasks {

struct ShrunkModel {
  ShrinkReport report;
  ModelBytes before, after;
  bool rounds = false;  // weights are in fewer bits
  Changes changes;
  std::vector<std::pair<std::string_view, std::string_view>> names;  // new and old names of values with shortened names
  std::vector<passes::Extracted> extracted;                          // in the order of the report's lines
};

// Runs all steps that the options ask for. The report has the methods, the largest savings and the sizes before and
// after. If a goal is missed, the model stays as it was, and the report says why (`refused`). Throws Error; the model
// may then have changed.
ShrunkModel run_pipeline(Model& model, const ShrinkOptions& options,
                         const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress::tasks
