/// \file
/// Reads a model written in the ONNX text syntax. docs/text.md has the syntax in one page.
#pragma once

#include <string_view>

#include "onnxpress/base/contained_file.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::text {

/// How external data of a model in text form is read.
struct ParseOptions {
  /// For external data, whose files are looked for beside the text. They are not opened until somebody asks for the
  /// bytes.
  OutsidePaths outside_paths = OutsidePaths::kRefuse;
  FileAccess access = FileAccess::kMap;
  ExternalContent external;  ///< where external data comes from instead of files; may be empty
};

/// Throws Error with line, column and the line itself. `file_name` is for messages, and its folder is that of external
/// data. Nothing in the model points into `text`. A name that nothing defines is an undefined value, for `check` to
/// report.
Model parse_model(std::string_view text, std::string_view file_name = {}, const ParseOptions& options = {});

}  // namespace onnxpress::text
