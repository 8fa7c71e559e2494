// Gives a shrunk model its plain tensors back: the work behind `onnxpress expand`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/tasks/convert.h"
#include "onnxpress/tasks/inputs/load_model.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct ExpandOptions {
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("", &ExpandOptions::load, "");
  }
};

struct ExpandReport {
  std::string file, output;
  std::uint64_t tensors = 0, bytes = 0, nodes = 0;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &ExpandReport::file, "path of the input");
    visit("output", &ExpandReport::output, "path of the result");
    visit("tensors", &ExpandReport::tensors, "tensors that are plain initializers now");
    visit("bytes", &ExpandReport::bytes, "bytes of their content");
    visit("nodes", &ExpandReport::nodes, "nodes that computed them and are gone");
    visit("files", &ExpandReport::files, "files that were written, the model first");
  }
};

// Throws Error.
ExpandReport expand(const std::string& input, const std::string& output, const ExpandOptions& options,
                    const ConvertStreams& streams);

std::string to_json(const ExpandReport& report);

}  // namespace onnxpress::tasks
