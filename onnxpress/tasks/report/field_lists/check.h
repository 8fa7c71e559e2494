// The fields of the structs in onnxpress/check.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/check.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Words<Severity> {
  static constexpr std::pair<std::string_view, Severity> kAll[] = {
      {"error", Severity::kError},
      {"warning", Severity::kWarning},
      {"note", Severity::kNote},
  };
};

template <>
struct Fields<CheckOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("strict", &CheckOptions::strict, "warnings count as errors");
    visit("no_external", &CheckOptions::no_external, "do not open external data files");
    visit("limit", &CheckOptions::limit, "how many findings to show per model (default 100); the rest are only counted");
    visit("", &CheckOptions::load, "");
  }
};

template <>
struct Fields<FindingLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("severity", &FindingLine::severity, "`error`, `warning` or `note`");
    visit("code", &FindingLine::code, "what kind of problem it is, from the table above");
    visit("where", &FindingLine::where, "the place in the model; empty for the model as a whole");
    visit("message", &FindingLine::message, "what is wrong there");
  }
};

template <>
struct Fields<CheckReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &CheckReport::file, "path, as given");
    visit("ok", &CheckReport::ok, "true when there are no errors");
    visit("nodes", &CheckReport::nodes, "nodes, including those of bodies and functions");
    visit("tensors", &CheckReport::tensors, "initializers and tensors in attributes");
    visit("errors", &CheckReport::errors, "how many findings make the model invalid");
    visit("warnings", &CheckReport::warnings, "how many the standard forbids, but readers tolerate (0 with option `strict`: they are errors)");
    visit("notes", &CheckReport::notes, "how many are only worth knowing");
    visit("findings", &CheckReport::findings, "errors first, then warnings, then notes");
    visit("left_out", &CheckReport::left_out, "findings beyond the limit, counted but not listed");
  }
};

}  // namespace onnxpress
