// The fields of the structs in onnxpress/diff.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/diff.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Words<Change> {
  static constexpr std::pair<std::string_view, Change> kAll[] = {
      {"added", Change::kAdded},
      {"removed", Change::kRemoved},
      {"changed", Change::kChanged},
      {"renamed", Change::kRenamed},
      {"reordered", Change::kReordered},
  };
};

template <>
struct Words<Subject> {
  static constexpr std::pair<std::string_view, Subject> kAll[] = {
      {"model", Subject::kModel},
      {"input", Subject::kInput},
      {"output", Subject::kOutput},
      {"function", Subject::kFunction},
      {"graph", Subject::kGraph},
      {"node", Subject::kNode},
      {"tensor", Subject::kTensor},
      {"value_info", Subject::kValueInfo},
      {"metadata", Subject::kMetadata},
      {"doc", Subject::kDoc},
  };
};

template <>
struct Words<Ignored> {
  static constexpr std::pair<std::string_view, Ignored> kAll[] = {
      {"names", Ignored::kNames},
      {"docs", Ignored::kDocs},
      {"metadata", Ignored::kMetadata},
      {"value-info", Ignored::kValueInfo},
      {"order", Ignored::kOrder},
  };
};

template <>
struct Fields<DiffOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("ignore", &DiffOptions::ignore, "ignore these");
    visit("tolerance", &DiffOptions::tolerance, "elements of tensors that differ by no more than this count as equal");
    visit("limit", &DiffOptions::limit, "how many differences to show of each kind (default 50); the rest are only counted");
    visit("", &DiffOptions::load, "");
  }
};

template <>
struct Fields<DiffDetail> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("what", &DiffDetail::what, "the attribute, operand or field; empty for the subject itself");
    visit("before", &DiffDetail::before, "what it was");
    visit("after", &DiffDetail::after, "what it is now");
  }
};

template <>
struct Fields<DiffDistance> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("elements", &DiffDistance::elements, "elements of the tensor");
    visit("differing", &DiffDistance::differing, "how many of them differ");
    visit("one_sided_nans", &DiffDistance::one_sided_nans, "how many are not a number on one side only");
    visit("has_distance", &DiffDistance::has_distance, "true when the elements that differ are numbers");
    visit("max_absolute", &DiffDistance::max_absolute, "largest |a - b|; null when there is none, or it is infinite");
    visit("max_relative", &DiffDistance::max_relative, "largest |a - b| / max(|a|, |b|); null as above");
    visit("at", &DiffDistance::at, "index of the largest |a - b|");
  }
};

template <>
struct Fields<DifferenceLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("change", &DifferenceLine::change, "`added`, `removed`, `changed`, `renamed` or `reordered`");
    visit("subject", &DifferenceLine::subject, "what differs: `model`, `input`, `output`, `function`, `graph`, `node`, `tensor`, `value_info`, `metadata` or `doc`");
    visit("where", &DifferenceLine::where, "body or function that contains it; empty for the main graph and the model");
    visit("what", &DifferenceLine::what, "which one");
    visit("details", &DifferenceLine::details, "what differs");
    visit("distance", &DifferenceLine::distance, "tensors whose elements differ: how far apart they are; else null");
  }
};

template <>
struct Fields<DiffCount> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("subject", &DiffCount::subject, "what differs, as below");
    visit("added", &DiffCount::added, "how many are only in the second model");
    visit("removed", &DiffCount::removed, "how many are only in the first");
    visit("changed", &DiffCount::changed, "how many are in both, but differ");
    visit("renamed", &DiffCount::renamed, "how many are the same under another name");
    visit("reordered", &DiffCount::reordered, "lists whose members are in another order");
  }
};

template <>
struct Fields<DiffReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("before", &DiffReport::before, "path of the first model, as given");
    visit("after", &DiffReport::after, "path of the second");
    visit("equal", &DiffReport::equal, "true when nothing differs");
    visit("same_bytes", &DiffReport::same_bytes, "true when the files are the same byte for byte; nothing else is compared then");
    visit("total", &DiffReport::total, "how many differences there are");
    visit("counts", &DiffReport::counts, "how many by kind; kinds without any are left out");
    visit("differences", &DiffReport::differences, "at most option `limit` of each kind");
  }
};

}  // namespace onnxpress
