// Decides what a file is and hands it to the right reader.
#include "onnxpress/tasks/files/load_model.h"

#include <algorithm>
#include <cctype>

#include "onnxpress/base/error.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress {

namespace {

// No .onnx file begins like this: as protobuf tags, '<' and '{' are groups, which ONNX does not use.
ModelForm format_of_content(std::string_view content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return ModelForm::kOnnx;
  if (content[first] == '<' || content[first] == '#') return ModelForm::kText;
  return content[first] == '{' ? ModelForm::kJson : ModelForm::kOnnx;
}

// Recognizes files of other kinds, passed by mistake, by their first bytes; empty when it could be a model.
std::string_view other_kind(std::string_view content) {
  const auto begins = [content](std::string_view with) { return content.starts_with(with); };
  if (begins("version https://git-lfs")) return "this is a Git LFS pointer, not the model: run 'git lfs pull'";
  if (begins("PK\x03\x04")) return "this is a ZIP archive (as are PyTorch files): unpack or export it first";
  if (begins("\x1f\x8b")) return "this is a gzip archive: unpack it first";
  if (begins("\x28\xb5\x2f\xfd")) return "this is a zstd archive: unpack it first";
  if (begins("GGUF")) return "this is a GGUF file, not ONNX";
  if (begins("\x89HDF\r\n")) return "this is an HDF5 (Keras) file: export it to ONNX first";
  if (content.size() > 8 && content.substr(4, 4) == "ORTM")
    return "this is in ONNX Runtime's own .ort format: use the .onnx file it was made from";
  if (content.size() > 8 && content.substr(4, 4) == "TFL3")
    return "this is a TensorFlow Lite file: convert it to ONNX first";
  const std::string_view start = content.substr(0, 64);
  if (start.find("<!DOCTYPE") != std::string_view::npos || start.find("<html") != std::string_view::npos) {
    return "this is a web page: the download went wrong";
  }
  // safetensors: a small 64-bit length, then JSON.
  if (content.size() > 9 && content.substr(4, 4) == std::string_view("\0\0\0\0", 4) && content[8] == '{') {
    return "this is a safetensors file, which contains weights but no graph";
  }
  return {};
}

// Does it contain an op of ONNX, or a tensor?
bool has_anything_known(const Model& model) {
  const auto is_tensor = [](const Value* value) { return is_known(value->initializer()->type); };
  bool known = std::ranges::any_of(model.graph().initializers(), is_tensor);
  constexpr std::int64_t kAnyVersion = 1'000'000;
  for_each_node(model, [&known](const Node& node) {
    known |= ops::find_op(node.domain(), node.op_type(), kAnyVersion) != nullptr;
  });
  return known;
}

// Protobuf files of other programs can also be decoded without an error, as messages with unknown fields. Models of IR
// versions 1 and 2 import no opsets.
void require_model(const Model& model) {
  if (!model.opsets.empty() || !model.functions.empty() || !model.training.empty()) return;
  if (!model.has_graph) {
    const bool tensorflow = model.ir_version == 1 && model.producer_name.data();
    throw Error("", "not an ONNX model: it has no graph",
                tensorflow
                    ? "this looks like a TensorFlow SavedModel: convert it to ONNX first, for example with tf2onnx"
                    : "export the model again");
  }
  if (!model.ir_version && !has_anything_known(model)) {
    throw Error("", "not an ONNX model: it has no IR version, no opset, no tensor and no operator of ONNX",
                "this may be another program's protobuf file: export the model again");
  }
}

// To be called while the error is handled.
[[noreturn]] void rethrow_better(Error& error, std::string_view content, const std::string& name) {
  if (const std::string_view kind = other_kind(content); !kind.empty()) {
    Error better("", "not an ONNX model", std::string(kind));
    better.set_file(name);
    throw better;
  }
  error.set_file(name);
  throw;
}

Model read(const Bytes& content, ModelForm format, const std::filesystem::path& path, const std::string& name,
           const LoadOptions& options) {
  format::ReadOptions read_options;
  read_options.access = options.access();
  read_options.outside_paths = options.outside_paths();
  read_options.external = options.external;
  if (content.empty()) throw Error("", "the file is empty", "export the model again");
  if (format == ModelForm::kText) {
    text::ParseOptions parse_options;
    parse_options.access = options.access();
    parse_options.outside_paths = options.outside_paths();
    parse_options.external = options.external;
    return text::parse_model(content.view(), name, parse_options);
  }
  const Bytes encoded = format == ModelForm::kJson ? Bytes::owned(format::from_json(content.view())) : content;
  return format::read_model(encoded, path.parent_path(), read_options);
}

}  // namespace

std::optional<ModelForm> format_of_name(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".onnx") return ModelForm::kOnnx;
  if (ending == ".onnxtxt" || ending == ".txt") return ModelForm::kText;
  if (ending == ".json") return ModelForm::kJson;
  return std::nullopt;
}

LoadedModel open_model(const std::string& path, const LoadOptions& options) {
  const bool stream = path == "-";
  LoadedModel loaded;
  loaded.name = stream ? "standard input" : path;
  std::shared_ptr<const MappedFile> file;
  if (!stream) file = MappedFile::open(path, options.access());
  const Bytes content = stream ? options.standard_input->content() : file->bytes();
  loaded.file_bytes = content.size();
  const auto by_name = stream ? std::nullopt : format_of_name(path);
  loaded.format = by_name ? *by_name : format_of_content(content.view().substr(0, 256));
  try {
    loaded.model = read(content, loaded.format, stream ? "" : path, loaded.name, options);
    if (loaded.format == ModelForm::kOnnx) require_model(loaded.model);
  } catch (Error& error) {
    rethrow_better(error, content.view().substr(0, 256), loaded.name);
  }
  if (!stream) loaded.model.path = path;
  // Only models in binary form refer to the mapped file.
  if (file && loaded.format == ModelForm::kOnnx) {
    loaded.model.files.push_back(file);
    file->release_pages(content.view());  // reading the graph touched weights all around it
  }
  return loaded;
}

}  // namespace onnxpress
