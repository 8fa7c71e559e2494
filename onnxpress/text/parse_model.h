/// \file
/// Reads a model written in the ONNX text syntax, which docs/reference/text.md describes.
#pragma once

#include <string_view>

#include "onnxpress/base/contained_file.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::text {

/// How external data of a model in text form is read.
struct ParseOptions {
  /// External files are looked up next to the text, and not opened until their bytes are needed.
  OutsidePaths outside_paths = OutsidePaths::kRefuse;
  FileAccess access = FileAccess::kMap;
  ExternalContent external;  ///< where external data comes from instead of files; may be empty
};

/// Throws Error with line, column and the line itself. `file_name` is used in messages, and external data is looked up
/// in its folder. Nothing in the model points into `text`. A name that nothing defines becomes an undefined value,
/// which `check` reports.
Model parse_model(std::string_view text, std::string_view file_name = {}, const ParseOptions& options = {});

}  // namespace onnxpress::text
