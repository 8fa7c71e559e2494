/// \file
/// Loading and saving models: from a file or from memory, as .onnx, ONNX text or JSON.
#pragma once

#include <filesystem>

#include "onnxpress/base/bytes.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

/// The forms a model can be stored in.
enum class ModelForm {
  kOnnx,  ///< protobuf, the usual .onnx file
  kText,  ///< ONNX text (docs/reference/text.md)
  kJson,  ///< protobuf's JSON mapping (docs/reference/json.md)
};

/// Reads a model from a file; the name or the first bytes determine the form.
///
/// The file is mapped, and weights stay in it until they are accessed, so it must not be changed while the model
/// exists. Throws Error.
Model load_model(const std::filesystem::path& path);

/// Reads a model from memory, in any form; the first bytes determine the form.
///
/// External data is looked up in the current folder when a tensor that is stored there is accessed.
Model load_model(const Bytes& content);

/// The same for a model whose external data is in memory, too: `external` returns the content of each file that the
/// model names; it is called when a tensor in the file is accessed. The model keeps `external` as long as it exists.
///
///     std::map<std::string, Bytes, std::less<>> files = ...;
///     Model model = load_model(content, [files](std::string_view location) -> std::optional<Bytes> {
///       const auto found = files.find(location);
///       return found == files.end() ? std::nullopt : std::optional(found->second);
///     });
Model load_model(const Bytes& content, const ExternalContent& external);

/// Writes a model to a file, completely or not at all, in the form of the file's name (.onnx, .onnxtxt, .json).
///
/// The weights of large models go into a second file next to it. Values without a name get one. Throws Error.
void save_model(Model& model, const std::filesystem::path& path);

/// Writes the model to memory. Weights in external files move inside, and stay there. Throws Error if the model does
/// not fit the form (.onnx is limited to 2 GiB).
Bytes save_model(Model& model, ModelForm form = ModelForm::kOnnx);

}  // namespace onnxpress
