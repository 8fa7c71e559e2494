// Is a model valid? The report behind `onnxpress check`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/check/check.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress::tasks {

template <>
struct Words<analysis::Severity> {
  static constexpr std::pair<std::string_view, analysis::Severity> kAll[] = {{"error", analysis::Severity::kError},
                                                                             {"warning", analysis::Severity::kWarning},
                                                                             {"note", analysis::Severity::kNote}};
};

struct CheckOptions {
  bool strict = false, no_external = false;
  std::uint64_t limit = 100;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("strict", &CheckOptions::strict, "warnings count as errors");
    visit("no_external", &CheckOptions::no_external, "do not open external data files");
    visit("limit", &CheckOptions::limit,
          "how many findings to show per model (default 100); the rest are only counted");
    visit("", &CheckOptions::load, "");
  }
};

struct FindingLine {
  analysis::Severity severity = analysis::Severity::kNote;
  std::string code, where, message;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("severity", &FindingLine::severity, "`error`, `warning` or `note`");
    visit("code", &FindingLine::code, "what kind of problem it is, from the table above");
    visit("where", &FindingLine::where, "the place in the model; empty for the model as a whole");
    visit("message", &FindingLine::message, "what is wrong there");
  }
};

struct CheckReport {
  std::string file;
  bool ok = true;
  std::uint64_t nodes = 0, tensors = 0, errors = 0, warnings = 0, notes = 0, left_out = 0;
  std::vector<FindingLine> findings;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &CheckReport::file, "path, as given");
    visit("ok", &CheckReport::ok, "true when there are no errors");
    visit("nodes", &CheckReport::nodes, "nodes, including those of bodies and functions");
    visit("tensors", &CheckReport::tensors, "initializers and tensors in attributes");
    visit("errors", &CheckReport::errors, "how many findings make the model invalid");
    visit("warnings", &CheckReport::warnings,
          "how many the standard forbids, but readers tolerate (0 with option `strict`: they are errors)");
    visit("notes", &CheckReport::notes, "how many are only worth knowing");
    visit("findings", &CheckReport::findings, "errors first, then warnings, then notes");
    visit("left_out", &CheckReport::left_out, "findings beyond the limit, counted but not listed");
  }
};

CheckReport check(const Model& model, const CheckOptions& options = {});

using CheckRow = ReportRow<CheckReport>;

std::string to_json(const CheckReport& report);
// {"models": [...]}: reports, and {"file", "error", "hint"} for those that could not be read.
std::string to_json(const std::vector<CheckRow>& rows);

}  // namespace onnxpress::tasks
