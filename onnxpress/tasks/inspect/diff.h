// What differs between two models: the report behind `onnxpress diff`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/diff/differences.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

template <>
struct Words<analysis::Change> {
  using Change = analysis::Change;
  static constexpr std::pair<std::string_view, Change> kAll[] = {{"added", Change::kAdded},
                                                                 {"removed", Change::kRemoved},
                                                                 {"changed", Change::kChanged},
                                                                 {"renamed", Change::kRenamed},
                                                                 {"reordered", Change::kReordered}};
};

template <>
struct Words<analysis::Subject> {
  using Subject = analysis::Subject;
  static constexpr std::pair<std::string_view, Subject> kAll[] = {
      {"model", Subject::kModel},       {"input", Subject::kInput},
      {"output", Subject::kOutput},     {"function", Subject::kFunction},
      {"graph", Subject::kGraph},       {"node", Subject::kNode},
      {"tensor", Subject::kTensor},     {"value_info", Subject::kValueInfo},
      {"metadata", Subject::kMetadata}, {"doc", Subject::kDoc}};
};

enum class Ignored : std::uint8_t { kNames, kDocs, kMetadata, kValueInfo, kOrder };

template <>
struct Words<Ignored> {
  static constexpr std::pair<std::string_view, Ignored> kAll[] = {{"names", Ignored::kNames},
                                                                  {"docs", Ignored::kDocs},
                                                                  {"metadata", Ignored::kMetadata},
                                                                  {"value-info", Ignored::kValueInfo},
                                                                  {"order", Ignored::kOrder}};
};

struct DiffOptions {
  std::vector<Ignored> ignore;
  double tolerance = 0;
  std::uint64_t limit = 50;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("ignore", &DiffOptions::ignore, "ignore these");
    visit("tolerance", &DiffOptions::tolerance, "elements of tensors that differ by no more than this count as equal");
    visit("limit", &DiffOptions::limit,
          "how many differences to show of each kind (default 50); the rest are only counted");
    visit("", &DiffOptions::load, "");
  }
};

struct DiffDetail {
  std::string what, before, after;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("what", &DiffDetail::what, "the attribute, operand or field; empty for the subject itself");
    visit("before", &DiffDetail::before, "what it was");
    visit("after", &DiffDetail::after, "what it is now");
  }
};

struct DiffDistance {
  std::uint64_t elements = 0, differing = 0, one_sided_nans = 0;
  bool has_distance = false;
  std::optional<double> max_absolute, max_relative;
  std::vector<std::int64_t> at;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("elements", &DiffDistance::elements, "elements of the tensor");
    visit("differing", &DiffDistance::differing, "how many of them differ");
    visit("one_sided_nans", &DiffDistance::one_sided_nans, "how many are not a number on one side only");
    visit("has_distance", &DiffDistance::has_distance, "true when the elements that differ are numbers");
    visit("max_absolute", &DiffDistance::max_absolute, "largest |a - b|; null when there is none, or it is infinite");
    visit("max_relative", &DiffDistance::max_relative, "largest |a - b| / max(|a|, |b|); null as above");
    visit("at", &DiffDistance::at, "index of the largest |a - b|");
  }
};

struct DifferenceLine {
  analysis::Change change = analysis::Change::kChanged;
  analysis::Subject subject = analysis::Subject::kModel;
  std::string where, what;
  std::vector<DiffDetail> details;
  std::optional<DiffDistance> distance;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("change", &DifferenceLine::change, "`added`, `removed`, `changed`, `renamed` or `reordered`");
    visit("subject", &DifferenceLine::subject,
          "what differs: `model`, `input`, `output`, `function`, `graph`, `node`, `tensor`, `value_info`, `metadata` "
          "or `doc`");
    visit("where", &DifferenceLine::where, "body or function that contains it; empty for the main graph and the model");
    visit("what", &DifferenceLine::what, "which one");
    visit("details", &DifferenceLine::details, "what differs");
    visit("distance", &DifferenceLine::distance, "tensors whose elements differ: how far apart they are; else null");
  }
};

struct DiffCount {
  analysis::Subject subject = analysis::Subject::kModel;
  std::uint64_t added = 0, removed = 0, changed = 0, renamed = 0, reordered = 0;

  std::uint64_t total() const { return added + removed + changed + renamed + reordered; }

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("subject", &DiffCount::subject, "what differs, as below");
    visit("added", &DiffCount::added, "how many are only in the second model");
    visit("removed", &DiffCount::removed, "how many are only in the first");
    visit("changed", &DiffCount::changed, "how many are in both, but differ");
    visit("renamed", &DiffCount::renamed, "how many are the same under another name");
    visit("reordered", &DiffCount::reordered, "lists whose members are in another order");
  }
};

struct DiffReport {
  std::string before, after;
  bool equal = true, same_bytes = false;
  std::uint64_t total = 0;
  std::vector<DiffCount> counts;
  std::vector<DifferenceLine> differences;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("before", &DiffReport::before, "path of the first model, as given");
    visit("after", &DiffReport::after, "path of the second");
    visit("equal", &DiffReport::equal, "true when nothing differs");
    visit("same_bytes", &DiffReport::same_bytes, "true when the files are the same byte for byte");
    visit("total", &DiffReport::total, "how many differences there are");
    visit("counts", &DiffReport::counts, "how many by kind; kinds without any are left out");
    visit("differences", &DiffReport::differences, "at most option `limit` of each kind");
  }
};

DiffReport diff(const Model& before, const Model& after, const DiffOptions& options = {});

std::string to_json(const DiffReport& report);

}  // namespace onnxpress::tasks
