/// \file
/// Checks whether a model is valid, and says where it is not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// What FindingLine::severity can be.
enum class Severity : std::uint8_t {
  /// onnx.checker (with full check) or ONNX Runtime refuses it, or readers disagree about what it means
  kError,
  /// the standard forbids it, but neither of them refuses it; or ONNX Runtime's own ops are misused
  kWarning,
  /// valid, but worth knowing
  kNote,
};

/// Options of check().
struct CheckOptions {
  /// warnings count as errors
  bool strict = false;
  /// do not open external data files
  bool no_external = false;
  /// how many findings to show per model (default 100); the rest are only counted
  std::uint64_t limit = 100;
  /// [] its fields stand here
  LoadOptions load;
};

/// One problem of a model, or one remark about it (CheckReport::findings).
struct FindingLine {
  /// `error`, `warning` or `note`
  Severity severity = Severity::kNote;
  /// what kind of problem it is, from the table above
  std::string code;
  /// the place in the model; empty for the model as a whole
  std::string where;
  /// what is wrong there
  std::string message;
};

/// The report of check().
struct CheckReport {
  /// path, as given
  std::string file;
  /// true when there are no errors
  bool ok = true;
  /// nodes, including those of bodies and functions
  std::uint64_t nodes = 0;
  /// initializers and tensors in attributes
  std::uint64_t tensors = 0;
  /// how many findings make the model invalid
  std::uint64_t errors = 0;
  /// how many the standard forbids, but readers tolerate (0 with option `strict`: they are errors)
  std::uint64_t warnings = 0;
  /// how many are only worth knowing
  std::uint64_t notes = 0;
  /// errors first, then warnings, then notes
  std::vector<FindingLine> findings;
  /// findings beyond the limit, counted but not listed
  std::uint64_t left_out = 0;
};

/// Checks structure, names, types and attributes. Findings are in the report, not thrown.
CheckReport check(const Model& model, const CheckOptions& options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const CheckReport& report);

}  // namespace onnxpress
