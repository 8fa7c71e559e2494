// Writes a shrunk model to its files.
#pragma once

#include <functional>
#include <string>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::tasks {

// Writes the result, or copies the input if it did not get smaller. The result gets its final name only after it has
// been checked. Fills in the parts of the report that are about files.
void write_shrunk(LoadedModel& loaded, const std::string& input, const std::string& output,
                  const ShrinkOptions& options, const ConvertStreams& streams, const ExtraFiles& extra,
                  ShrinkReport& report);

// Add the compressed sizes for --compressed, and for --optimize-for or --max-download. Only files are measured, not
// what goes through a pipe or was not written.
void add_compressed_sizes(const LoadedModel& loaded, ShrinkReport& report,
                          const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);
void add_download(const ShrinkOptions& options, ShrinkReport& report,
                  const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress::tasks
