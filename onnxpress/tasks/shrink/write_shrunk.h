// Writes a shrunk model to its files.
#pragma once

#include <functional>
#include <string>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::tasks {

// Writes the result, or copies the input where it did not get smaller; with --verify it takes its place only when it is
// proved. Fills in what the report says of files.
void write_shrunk(LoadedModel& loaded, const std::string& input, const std::string& output,
                  const ShrinkOptions& options, const ConvertStreams& streams, const ExtraFiles& extra,
                  ShrinkReport& report);

// Sizes after compressors, with --compressed, and with --optimize-for or --max-download. Both must be files: what
// goes through a pipe or was not written has no such size.
void add_compressed_sizes(const LoadedModel& loaded, ShrinkReport& report,
                          const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);
void add_download(const ShrinkOptions& options, ShrinkReport& report,
                  const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress::tasks
