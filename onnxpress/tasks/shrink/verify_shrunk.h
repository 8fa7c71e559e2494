// Checks that a result is what it should be, before it gets its final name.
#pragma once

#include <string>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::tasks {

// A result that was written, and what it was written from.
struct ShrunkFile {
  const LoadedModel& model;     // in memory, as it was written
  const std::string& original;  // path of the input
  std::string path;             // where the result is now
};

// Always done: reads the result back and compares its nodes, connections and decoded constants with those of the input.
// Rounded weights may be off by the error in the report. If nodes were replaced, the result is compared with the model
// in memory instead. Throws Error if they differ, which would be a bug in onnxpress.
void check_structure(const ShrunkFile& file, const ShrinkOptions& options, const ShrinkReport& report);
// The same for a result that is not written yet; `original` is the model before it was shrunk.
void check_structure(LoadedModel& shrunk, Model original, const ShrinkOptions& options, const ShrinkReport& report);

// For --verify: compares the outputs as well, if the options have a runtime for that, and adds the result to the
// report. Throws Error if they differ.
void compare_outputs(const ShrunkFile& file, const ShrinkOptions& options,
                     const std::vector<passes::Extracted>& extracted, ShrinkReport& report);

}  // namespace onnxpress::tasks
