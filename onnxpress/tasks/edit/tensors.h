// Exports the weights of a model to files, and imports changed ones: the work behind `onnxpress tensors`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/tasks/edit/as_inputs.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct TensorOptions {
  Names names, nodes;
  std::string from;
  bool change_types = false, as_inputs = false;
  // Not in fields(), for onnxpress.compat.scs4onnx: also the constants that occur more than once, and its names.
  bool also_repeated = false;
  NpyNames npy_names = NpyNames::kOwn;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("names", &TensorOptions::names, "only these tensors (default: all initializers and Constant nodes)");
    visit("from", &TensorOptions::from,
          "replace tensors of the model by those in this file or folder, and write the model to -o");
    visit("change_types", &TensorOptions::change_types,
          "with option `from`: allow tensors to change their types and shapes");
    visit("as_inputs", &TensorOptions::as_inputs,
          "turn constants into inputs of the model, fed from .npy files next to it: those of option `names` and option "
          "`nodes`, otherwise those that occur more than once; -o is the changed model");
    visit("nodes", &TensorOptions::nodes, "with option `as_inputs`: all constants of these nodes, except scalars");
    visit("", &TensorOptions::load, "");
  }
};

struct TensorReport {
  std::string file, output;
  std::uint64_t tensors = 0, bytes = 0;
  std::vector<std::string> left_out;
  std::vector<ExtractedLine> inputs;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &TensorReport::file, "path of the model");
    visit("output", &TensorReport::output, "path of the result");
    visit("tensors", &TensorReport::tensors, "tensors that were written or replaced");
    visit("bytes", &TensorReport::bytes, "bytes of their content");
    visit("left_out", &TensorReport::left_out, "tensors that the form of the output cannot hold, with the reason");
    visit("inputs", &TensorReport::inputs, "with option `as_inputs`: constants that became inputs of the model");
    visit("files", &TensorReport::files, "files that were written");
  }
};

// Writes tensors to `output`: a folder, .npz or .safetensors. Throws Error.
TensorReport export_tensors(const Model& model, const std::string& output, const TensorOptions& options);
// Replaces tensors by those of `options.from`, by name. Throws Error, and changes nothing, when one does not fit.
TensorReport import_tensors(Model& model, const TensorOptions& options);

std::string to_json(const TensorReport& report);

}  // namespace onnxpress::tasks
