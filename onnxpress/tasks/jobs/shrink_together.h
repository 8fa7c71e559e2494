// Shrinks several models together, with one external file that stores every weight once: `onnxpress shrink --share`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress {

struct SharedFileReport {
  std::string path;
  std::uint64_t bytes = 0, tensors = 0, references = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("path", &SharedFileReport::path,
          "path of the shared file; empty if sharing saves nothing and each model is shrunk by itself");
    visit("bytes", &SharedFileReport::bytes, "its size");
    visit("tensors", &SharedFileReport::tensors, "tensors in it, each stored once");
    visit("references", &SharedFileReport::references, "tensors of the models that refer to it");
  }
};

struct ShareReport {
  std::vector<ShrinkReport> models;
  SharedFileReport shared;
  std::uint64_t before = 0, after = 0;
  bool unchanged = false, dry_run = false;
  double seconds = 0;
  std::uint64_t peak_memory = 0, peak_anonymous = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("models", &ShareReport::models,
          "a report on each model; `after.external` is the part of the shared file that it uses");
    visit("shared", &ShareReport::shared, "the shared file");
    visit("before", &ShareReport::before, "bytes of all models and their external data");
    visit("after", &ShareReport::after, "bytes of all results and the shared file");
    visit("unchanged", &ShareReport::unchanged, "true if none of them gets smaller, so that the results are copies");
    visit("dry_run", &ShareReport::dry_run, "true when nothing was written");
    visit("seconds", &ShareReport::seconds, "how long it took");
    visit("peak_memory", &ShareReport::peak_memory, kPeakMemoryText);
    visit("peak_anonymous", &ShareReport::peak_anonymous, kPeakAnonymousText);
  }
};

struct ShareJob {
  std::string input, output;  // outputs: .onnx, all in one folder
};

// Reads, shrinks and writes all models, or none of them. If sharing saves nothing, each is shrunk by itself.
// `shared_name` is the file's name in the folder of the outputs. Throws Error.
ShareReport shrink_together(const std::vector<ShareJob>& jobs, const std::string& shared_name,
                            const ShrinkOptions& options, const ConvertStreams& streams);

std::string to_json(const ShareReport& report);

}  // namespace onnxpress
