// Turns decoding nodes of a shrunk model back into plain tensors: the work behind `onnxpress expand`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/shrink/output_comparison.h"

namespace onnxpress::tasks {

struct ExpandOptions {
  bool verify = false;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("verify", &ExpandOptions::verify, "run the model before and after in ONNX Runtime, and compare the outputs");
    visit("", &ExpandOptions::load, "");
  }
};

struct ExpandReport {
  std::string file, output;
  std::uint64_t tensors = 0, bytes = 0, nodes = 0;
  std::optional<OutputComparison> outputs;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &ExpandReport::file, "path of the input");
    visit("output", &ExpandReport::output, "path of the result");
    visit("tensors", &ExpandReport::tensors, "tensors that are now plain initializers");
    visit("bytes", &ExpandReport::bytes, "bytes of their content");
    visit("nodes", &ExpandReport::nodes, "nodes that computed them and were removed");
    visit("outputs", &ExpandReport::outputs, "with option `verify`: comparison of the outputs in ONNX Runtime");
    visit("files", &ExpandReport::files, "files that were written, the model first");
  }
};

// Throws Error.
ExpandReport expand(Model& model);
// Checks that this is what expand() makes of the original: the same nodes and constants. Changes both models: removes
// dead nodes. Throws Error.
void require_expanded(Model& original, Model& expanded);

std::string to_json(const ExpandReport& report);

}  // namespace onnxpress::tasks
