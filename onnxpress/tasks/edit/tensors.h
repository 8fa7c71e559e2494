// Exports the weights of a model to files, and imports changed ones: the work behind `onnxpress tensors`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct TensorOptions {
  Names names;
  std::string from;
  bool change_types = false;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("names", &TensorOptions::names, "only these tensors (default: all initializers and Constant nodes)");
    visit("from", &TensorOptions::from,
          "replace tensors of the model by those in this file or folder, and write the model to -o");
    visit("change_types", &TensorOptions::change_types,
          "with option `from`: allow tensors to change their types and shapes");
    visit("", &TensorOptions::load, "");
  }
};

struct TensorReport {
  std::string file, output;
  std::uint64_t tensors = 0, bytes = 0;
  std::vector<std::string> left_out;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &TensorReport::file, "path of the model");
    visit("output", &TensorReport::output, "path of the result");
    visit("tensors", &TensorReport::tensors, "tensors that were written or replaced");
    visit("bytes", &TensorReport::bytes, "bytes of their content");
    visit("left_out", &TensorReport::left_out, "tensors that the form of the output cannot hold, with the reason");
    visit("files", &TensorReport::files, "files that were written");
  }
};

// Writes tensors to `output`: a folder, .npz or .safetensors. Throws Error.
TensorReport export_tensors(const Model& model, const std::string& output, const TensorOptions& options);
// Replaces tensors by those of `options.from`, by name. Throws Error, and changes nothing, when one does not fit.
TensorReport import_tensors(Model& model, const TensorOptions& options);

std::string to_json(const TensorReport& report);

}  // namespace onnxpress::tasks
