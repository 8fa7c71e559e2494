/// \file
/// Loading and saving models: from a file or from memory, as .onnx, ONNX text or JSON.
#pragma once

#include <filesystem>

#include "onnxpress/base/bytes.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

/// The forms a model can be stored in.
enum class ModelForm {
  kOnnx,  ///< protobuf, the .onnx file that everybody reads
  kText,  ///< ONNX text (docs/text.md)
  kJson,  ///< protobuf's JSON mapping (docs/json.md)
};

/// Reads a model from a file; the form is told from the name, or from the first bytes.
///
/// The file is mapped, and weights stay in it until somebody looks at them, so it must not be changed while the model
/// lives. Throws Error.
Model load_model(const std::filesystem::path& path);

/// Reads a model that is in memory, in any form; the form is told from the first bytes.
///
/// External data is looked for in the current folder when somebody asks for a tensor that is stored outside.
Model load_model(const Bytes& content);

/// The same for a model whose external data is in memory, too: `external` is asked for the content of each file that
/// the model names, when somebody looks at a tensor in it. The model keeps `external` as long as it lives.
///
///     std::map<std::string, Bytes, std::less<>> files = ...;
///     Model model = load_model(content, [files](std::string_view location) -> std::optional<Bytes> {
///       const auto found = files.find(location);
///       return found == files.end() ? std::nullopt : std::optional(found->second);
///     });
Model load_model(const Bytes& content, const ExternalContent& external);

/// Writes a model to a file, whole or not at all, in the form that the file's name says (.onnx, .onnxtxt, .json).
///
/// Large models get their weights in a second file beside it. Values that have no name get one. Throws Error.
void save_model(Model& model, const std::filesystem::path& path);

/// The model in memory. Weights that are outside move inside, and stay there. Throws Error when it does not fit the
/// form (.onnx ends at 2 GiB).
Bytes save_model(Model& model, ModelForm form = ModelForm::kOnnx);

}  // namespace onnxpress
