// Turns decoding nodes of a shrunk model back into plain tensors: the work behind `onnxpress expand`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/field_lists/shrink.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

struct ExpandOptions {
  bool verify = false;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("verify", &ExpandOptions::verify, "run the model before and after in ONNX Runtime, and compare the outputs");
    visit("", &ExpandOptions::load, "");
  }
};

// Checks that this is what expand() makes of the original: the same nodes and constants. Changes both models: removes
// dead nodes. Throws Error.
void require_expanded(Model& original, Model& expanded);

}  // namespace onnxpress
