// Constants that become inputs of the model, fed from .npy files next to it: `onnxpress tensors MODEL --as-inputs`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/passes/whole/extract_constants.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

// How inputs and files are named: after the constants, or as scs4onnx does.
enum class NpyNames : std::uint8_t { kOwn, kScs4onnx };

template <>
struct Words<NpyNames> {
  static constexpr std::pair<std::string_view, NpyNames> kAll[] = {{"onnxpress", NpyNames::kOwn},
                                                                   {"scs4onnx", NpyNames::kScs4onnx}};
};

struct ExtractedLine {
  std::string input, file, type;
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("input", &ExtractedLine::input, "name of the new input");
    visit("file", &ExtractedLine::file, "name of the .npy file, next to the model");
    visit("type", &ExtractedLine::type, "element type");
    visit("shape", &ExtractedLine::shape, "its sizes");
    visit("bytes", &ExtractedLine::bytes, "size of the tensor");
  }
};

// Gives the inputs their names and chooses file names that never collide. Throws Error for types that .npy files cannot
// hold, and if names made as in scs4onnx collide.
std::vector<ExtractedLine> name_extracted(Model& model, const std::vector<passes::Extracted>& extracted,
                                          const std::string& output, NpyNames names);

// The .npy files and OUTPUT.npy.json, which lists them. They use the arguments when they are written.
std::vector<Beside> extracted_files(const Model& model, const std::vector<passes::Extracted>& extracted,
                                    const std::vector<ExtractedLine>& lines, const std::string& output);

}  // namespace onnxpress::tasks
