// Opens a model in any form we know (.onnx, ONNX text, JSON, or standard input), chosen by its name or its first bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "onnxpress/base/standard_input.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// .onnx, .onnxtxt and .txt, .json, in any case; nullopt for other endings.
std::optional<ModelForm> format_of_name(const std::filesystem::path& path);

struct LoadedModel {
  Model model;
  ModelForm format = ModelForm::kOnnx;
  std::string name;              // for messages: the path, or "standard input"
  std::uint64_t file_bytes = 0;  // size of the file itself, without external files
};

// `path` "-" is standard input. Throws Error that names the file and, if it is of another known kind, says which.
LoadedModel open_model(const std::string& path, const LoadOptions& options = {});

}  // namespace onnxpress
