// Runs the check and assembles its report.
#include "onnxpress/tasks/inspect/check.h"

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

using analysis::Finding;

CheckReport check(const Model& given, const CheckOptions& options) {
  const std::optional<Model> named = named_copy(given);  // values made since the model was read have no names yet
  const Model& model = named ? *named : given;
  const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(options.limit, SIZE_MAX));
  const analysis::Findings found =
      analysis::check(model, {.external_files = !options.no_external, .kept_findings = kept});
  CheckReport report;
  report.file = model.path.string();
  for_each_node(model, [&report](const Node&) { ++report.nodes; });
  for_each_tensor(model, [&report](const Tensor&, const TensorPlace&) { ++report.tensors; });
  report.errors = found.count(Severity::kError);
  report.warnings = found.count(Severity::kWarning);
  report.notes = found.count(Severity::kNote);
  report.left_out = report.errors + report.warnings + report.notes;
  for (const Finding& finding : found.kept) {
    if (report.findings.size() == options.limit) break;
    const bool promoted = options.strict && finding.severity == Severity::kWarning;
    report.findings.push_back(
        {promoted ? Severity::kError : finding.severity, std::string(finding.code), finding.where, finding.message});
  }
  report.left_out -= report.findings.size();
  if (options.strict) report.errors += std::exchange(report.warnings, 0);
  report.ok = report.errors == 0;
  return report;
}

std::string to_json(const CheckReport& report) { return json_text(report); }

std::string to_json(const std::vector<CheckRow>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress
