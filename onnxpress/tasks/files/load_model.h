// Opens a model in any form we know (.onnx, ONNX text, JSON, or standard input), chosen by its name or its first bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "onnxpress/base/standard_input.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

enum class ModelFormat : std::uint8_t { kOnnx, kText, kJson };

template <>
struct Words<ModelFormat> {
  static constexpr std::pair<std::string_view, ModelFormat> kAll[] = {
      {"onnx", ModelFormat::kOnnx}, {"text", ModelFormat::kText}, {"json", ModelFormat::kJson}};
};

// .onnx, .onnxtxt and .txt, .json, in any case; nullopt for other endings.
std::optional<ModelFormat> format_of_name(const std::filesystem::path& path);

struct LoadOptions {
  static constexpr std::string_view kTitle = "Reading";
  bool no_mmap = false, allow_outside_paths = false;
  // The input for the path "-". Copies of the options share it, because some tasks load the model twice, but standard
  // input can be read only once.
  std::shared_ptr<StandardInput> standard_input = std::make_shared<StandardInput>();
  ExternalContent external = {};  // where external data comes from instead of files; may be empty

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("no_mmap", &LoadOptions::no_mmap,
          "read files into memory instead of mapping them, for files that may change while they are read");
    visit("allow_outside_paths", &LoadOptions::allow_outside_paths,
          "allow external data outside the model's folder; only for models that you trust");
  }

  OutsidePaths outside_paths() const { return allow_outside_paths ? OutsidePaths::kAllow : OutsidePaths::kRefuse; }
  FileAccess access() const { return no_mmap ? FileAccess::kRead : FileAccess::kMap; }
};

struct LoadedModel {
  Model model;
  ModelFormat format = ModelFormat::kOnnx;
  std::string name;              // for messages: the path, or "standard input"
  std::uint64_t file_bytes = 0;  // size of the file itself, without external files
};

// `path` "-" is standard input. Throws Error that names the file and, if it is of another known kind, says which.
LoadedModel load_model(const std::string& path, const LoadOptions& options = {});

}  // namespace onnxpress::tasks
