/// \file
/// Checks whether a model is valid, and where it is not.
#pragma once

#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// One problem in a model.
struct Finding {
  enum class Severity {
    kError,    ///< the model is invalid
    kWarning,  ///< the standard forbids it, but onnx.checker and ONNX Runtime accept it
    kNote,     ///< worth knowing
  };
  Severity severity = Severity::kNote;
  std::string code;     ///< the kind of problem: short and stable, listed in docs/commands/check.md
  std::string where;    ///< the place in the model; empty for the model as a whole
  std::string message;  ///< what is wrong there
};

/// What check() found.
struct CheckResult {
  bool ok = true;                 ///< there are no errors
  std::vector<Finding> findings;  ///< errors first; at most 100
  std::string json;               ///< the full report, as `onnxpress check --json` prints it
};

/// Checks structure, names, types and attributes. With `strict`, warnings are errors, too.
CheckResult check(Model& model, bool strict = false);

}  // namespace onnxpress
