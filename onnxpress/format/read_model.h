/// \file
/// Reads an .onnx file into a Model: without copying, without loss, and treating every byte as hostile.
#pragma once

#include <filesystem>

#include "onnxpress/format/limits.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::format {

/// How a model and its external data are read.
struct ReadOptions {
  FileAccess access = FileAccess::kMap;
  OutsidePaths outside_paths = OutsidePaths::kRefuse;
  ExternalContent external;  ///< where external data comes from instead of files; may be empty
  Limits limits;
};

/// Maps the file and decodes its graph; weights stay in the file and are not touched. External data files are neither
/// opened nor required to exist until a tensor's bytes are needed. Throws Error.
Model read_model(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same for a model in memory; external data is looked up in `folder`.
Model read_model(Bytes encoded, const std::filesystem::path& folder = {}, const ReadOptions& options = {});

/// Adds the functions of another encoded model. Throws Error.
void add_functions(Model& model, std::string_view encoded, const ReadOptions& options = {});

}  // namespace onnxpress::format
