// Options of `onnxpress shrink` for constants that become inputs, and for narrower types.
#pragma once

#include <string>
#include <string_view>

#include "onnxpress/tasks/edit/as_inputs.h"

namespace onnxpress::tasks {

struct NpyOptions {
  static constexpr std::string_view kTitle = "Extraction";
  bool npy = false, narrow_types = false;
  Names extract, extract_node;
  NpyNames npy_names = NpyNames::kOwn;
  std::string beside;  // not in fields(): the result, next to which the files are written, with its name as prefix

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("npy", &NpyOptions::npy,
          "turn constants that occur more than once into inputs of the model, fed from .npy files next to it");
    visit("extract", &NpyOptions::extract, "turn these constants into inputs, as option `npy` does");
    visit("extract_node", &NpyOptions::extract_node, "turn all constants of these nodes except scalars into inputs");
    visit("npy_names", &NpyOptions::npy_names,
          "onnxpress (default): inputs keep the names of the constants; scs4onnx: names as in that tool");
    visit("narrow_types", &NpyOptions::narrow_types,
          "store int64 constants as int32 and float64 constants as float32, if all their readers accept that");
  }

  bool extracts() const { return npy || !extract.empty() || !extract_node.empty(); }
  passes::ExtractWish wish() const { return {npy, extract, extract_node}; }
};

}  // namespace onnxpress::tasks
