// Checks that a result is what it should be, before it gets its final name.
#pragma once

#include <string>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::tasks {

// A result that was written, and what it was written from.
struct ShrunkFile {
  const LoadedModel& model;     // in memory, as it was written
  const std::string& original;  // path of the input
  std::string path;             // of the result, under whatever name it has now
};

// Always done: reads the result back and compares it with the input, nodes, connections and all constants, decoded.
// Weights that were rounded may be off by what the report says; where nodes were replaced, the result is compared with
// the model in memory instead. Throws Error when they differ: a bug in onnxpress.
void check_structure(const ShrunkFile& file, const ShrinkOptions& options, const ShrinkReport& report);
// The same for what is encoded but not written yet; `original` is the model before it was shrunk.
void check_structure(LoadedModel& shrunk, Model original, const ShrinkOptions& options, const ShrinkReport& report);

// For --verify: the outputs as well, where the options have a runtime for that. The report says what was found. Throws
// Error when they differ.
void compare_outputs(const ShrunkFile& file, const ShrinkOptions& options,
                     const std::vector<passes::Extracted>& extracted, ShrinkReport& report);

}  // namespace onnxpress::tasks
