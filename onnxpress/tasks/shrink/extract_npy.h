// Writes constants that became inputs as .npy files next to the model, with a list of them: `onnxpress shrink --npy`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/passes/whole/extract_constants.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

enum class NpyNames : std::uint8_t { kOwn, kScs4onnx };

template <>
struct Words<NpyNames> {
  static constexpr std::pair<std::string_view, NpyNames> kAll[] = {{"onnxpress", NpyNames::kOwn},
                                                                   {"scs4onnx", NpyNames::kScs4onnx}};
};

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
