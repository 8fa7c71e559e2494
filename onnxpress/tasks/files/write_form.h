// Writes a model in one of its forms, without any check: .onnx, ONNX text or JSON, with its weights inside or in
// external files. Only save_checked.cpp and save_together.cpp use it.
#pragma once

#include <filesystem>
#include <optional>

#include "onnxpress/format/external_files.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress {

struct WrittenForm {
  SaveReport report;
  // External files that the model still refers to and that belong into the folder of the result. They are written, but
  // have no names before ExternalCopies::commit().
  std::optional<format::ExternalCopies> copies;
};

// Writes to `path`. If `final_folder` is set, the file will be moved there later: then nothing appears in that folder
// yet. Throws Error.
WrittenForm write_form(Model& model, const std::string& path, const SaveRequest& request,
                       const std::optional<std::filesystem::path>& final_folder = {});

}  // namespace onnxpress
