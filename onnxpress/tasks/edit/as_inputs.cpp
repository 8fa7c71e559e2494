// Chooses names for .npy files, and copies tensors to them from file to file.
#include "onnxpress/tasks/edit/as_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/external_files.h"
#include "onnxpress/inputs/npy.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

// The list of files next to the model.
struct Manifest {
  std::string model;
  std::vector<ExtractedLine> inputs;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("model", &Manifest::model, "name of the model file");
    visit("inputs", &Manifest::inputs, "constants that became inputs of the model");
  }
};

// A file name that is not too long and has only letters, digits and a few signs that every file system accepts. Names
// differ in more than upper and lower case, because some file systems ignore that.
std::string file_name_of(std::string_view stem, std::string_view input, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 100;
  std::string plain;
  for (const char c : input.substr(0, kLongest)) {
    const bool safe =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    plain += safe || (c == '.' && !plain.empty()) ? c : '_';
  }
  for (int number = 1;; ++number) {
    std::string name = fmt::format("{}.{}{}.npy", stem, plain, number == 1 ? "" : fmt::format("-{}", number));
    std::string folded = name;
    std::ranges::transform(folded, folded.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (taken.insert(folded).second) return name;
  }
}

// <stem>_exported_<constant>.npy, with _ for ':', ';', '/' and ','. The input gets the same name.
std::string scs4onnx_name(std::string_view stem, std::string_view constant, std::set<std::string>& taken) {
  std::string name = fmt::format("{}_exported_{}.npy", stem, constant);
  for (char& c : name) {
    if (c == ':' || c == ';' || c == '/' || c == ',') c = '_';
  }
  if (!taken.insert(name).second) {
    throw Error("", fmt::format("with names as in scs4onnx, two constants would be {}", quote_name(name)),
                "names as in onnxpress are never equal");
  }
  return name;
}

}  // namespace

std::vector<ExtractedLine> name_extracted(Model& model, const std::vector<passes::Extracted>& extracted,
                                          const std::string& output, NpyNames names) {
  std::vector<ExtractedLine> lines;
  std::set<std::string> taken;
  const std::string stem = fs::path(output).stem().string();
  for (const passes::Extracted& each : extracted) {
    const Tensor& tensor = each.tensor;
    if (!inputs::npy_header(tensor.type, tensor.dims)) {
      throw Error("", fmt::format("{} cannot be stored as .npy: NumPy has no {}", quote_name(each.input->name()),
                                  name_of(tensor.type)));
    }
    ExtractedLine line;
    if (names == NpyNames::kScs4onnx) {
      line.file = scs4onnx_name(stem, each.input->name(), taken);
      if (model.context().names.find(line.file) != NameTable::kNone)
        throw Error("", fmt::format("the model already has a value {}", quote_name(line.file)),
                    "choose another output name");
      model.graph().rename(*each.input, model.arena().text(line.file));
    } else {
      line.file = file_name_of(stem, each.input->name(), taken);
    }
    line.input = each.input->name();
    line.type = name_of(tensor.type);
    line.shape.assign(tensor.dims.begin(), tensor.dims.end());
    line.bytes = tensor.expected_bytes().value_or(0);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Beside> extracted_files(const Model& model, const std::vector<passes::Extracted>& extracted,
                                    const std::vector<ExtractedLine>& lines, const std::string& output) {
  std::vector<Beside> files;
  const fs::path folder = fs::path(output).parent_path();
  for (std::size_t i = 0; i < extracted.size(); ++i) {
    files.push_back({.path = (folder / lines[i].file).string(),
                     .write = [&model, &tensor = extracted[i].tensor, bytes = lines[i].bytes](AtomicFile& file) {
                       const std::function<void(std::uint64_t, std::uint64_t)> silent;
                       format::Progress progress(silent, bytes);
                       file.write(*inputs::npy_header(tensor.type, tensor.dims));
                       format::write_content(file, model, tensor, bytes, progress);
                     }});
  }
  files.push_back({.path = fs::path(output).replace_extension(".npy.json").string(),
                   .write = [manifest = json_text(Manifest{fs::path(output).filename().string(), lines})](
                                AtomicFile& file) { file.write(manifest); },
                   .comes_last = true});
  return files;
}

}  // namespace onnxpress
