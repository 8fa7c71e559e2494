// Records values inside a model, in runs on the inputs of an OutputError.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "onnxpress/tasks/shrink/lossy/output_error.h"

namespace onnxpress::tasks {

using TakeValue = std::function<void(Value& value, std::size_t probe, const ops::Array& array)>;

// Calls `take` with each of these values of the main graph for each of these inputs, if the value is an array. Records
// a few values at a time, so that they fit into memory, on one input after the other. Returns false if the model does
// not run.
bool record_values(Model& model, const OutputError& outputs, std::span<Value* const> values,
                   std::span<const std::size_t> probes, const TakeValue& take,
                   const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress::tasks
