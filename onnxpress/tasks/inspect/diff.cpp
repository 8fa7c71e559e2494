// Compares two files, byte for byte if that is enough, and assembles the report.
#include "onnxpress/tasks/report/field_lists/diff.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/analysis/diff/differences.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace {

using analysis::Difference;
using analysis::TensorDistance;

analysis::DiffSettings settings_of(const DiffOptions& options) {
  const auto looks_at = [&options](Ignored what) {
    return std::find(options.ignore.begin(), options.ignore.end(), what) == options.ignore.end();
  };
  analysis::DiffSettings settings;
  settings.names = looks_at(Ignored::kNames);
  settings.docs = looks_at(Ignored::kDocs);
  settings.metadata = looks_at(Ignored::kMetadata);
  settings.value_info = looks_at(Ignored::kValueInfo);
  settings.order = looks_at(Ignored::kOrder);
  settings.tolerance = options.tolerance;
  settings.kept_differences = options.limit;
  return settings;
}

DiffDistance distance_line(const TensorDistance& distance, const std::vector<std::int64_t>& dims) {
  DiffDistance line;
  line.elements = distance.elements;
  line.differing = distance.differing;
  line.one_sided_nans = distance.one_sided_nans;
  line.has_distance = distance.has_distance;
  if (!distance.has_distance) return line;
  if (std::isfinite(distance.max_absolute)) line.max_absolute = distance.max_absolute;
  if (std::isfinite(distance.max_relative)) line.max_relative = distance.max_relative;
  std::uint64_t rest = distance.at;
  for (auto dim = dims.rbegin(); dim != dims.rend() && *dim > 0; ++dim) {
    line.at.push_back(static_cast<std::int64_t>(rest % static_cast<std::uint64_t>(*dim)));
    rest /= static_cast<std::uint64_t>(*dim);
  }
  std::reverse(line.at.begin(), line.at.end());
  return line;
}

DifferenceLine line_of(const Difference& difference) {
  DifferenceLine line;
  line.change = difference.change;
  line.subject = difference.subject;
  line.where = difference.where;
  line.what = difference.what;
  for (const analysis::Detail& detail : difference.details)
    line.details.push_back({detail.what, detail.before, detail.after});
  if (difference.distance) line.distance = distance_line(*difference.distance, difference.dims);
  return line;
}

std::vector<DiffCount> counts_of(const analysis::Differences& found) {
  std::vector<DiffCount> counts;
  for (const auto& [word, subject] : Words<Subject>::kAll) {
    DiffCount count;
    count.subject = subject;
    count.added = found.count(subject, Change::kAdded);
    count.removed = found.count(subject, Change::kRemoved);
    count.changed = found.count(subject, Change::kChanged);
    count.renamed = found.count(subject, Change::kRenamed);
    count.reordered = found.count(subject, Change::kReordered);
    if (count.total() > 0) counts.push_back(count);
  }
  return counts;
}

}  // namespace

DiffReport diff(const Model& before, const Model& after, const DiffOptions& options) {
  const analysis::Differences found = analysis::find_differences(before, after, settings_of(options));
  DiffReport report;
  report.before = before.path.string();
  report.after = after.path.string();
  report.equal = found.empty();
  report.total = found.total;
  report.counts = counts_of(found);
  for (const Difference& difference : found.kept) report.differences.push_back(line_of(difference));
  return report;
}

std::string to_json(const DiffReport& report) { return json_text(report); }

}  // namespace onnxpress
