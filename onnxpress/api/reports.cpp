// Implements check(), diff(), info() and infer() with the tasks behind the commands.
#include <utility>

#include "onnxpress/api/check.h"
#include "onnxpress/api/diff.h"
#include "onnxpress/api/infer.h"
#include "onnxpress/api/info.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/inspect/diff.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/inspect/info.h"

namespace onnxpress {

namespace {

Finding::Severity severity_of(analysis::Severity severity) {
  if (severity == analysis::Severity::kError) return Finding::Severity::kError;
  return severity == analysis::Severity::kWarning ? Finding::Severity::kWarning : Finding::Severity::kNote;
}

}  // namespace

CheckResult check(Model& model, bool strict) {
  tasks::CheckOptions options;
  options.strict = strict;
  const tasks::CheckReport report = tasks::check(model, options);
  CheckResult result{report.ok, {}, tasks::to_json(report)};
  for (const tasks::FindingLine& line : report.findings)
    result.findings.push_back({severity_of(line.severity), line.code, line.where, line.message});
  return result;
}

DiffResult diff(const Model& before, const Model& after) {
  const tasks::DiffReport report = tasks::diff(before, after);
  return {report.equal, report.total, tasks::to_json(report)};
}

InfoResult info(Model& model) {
  const tasks::InfoReport report = tasks::info(model, {});
  return {report.model.nodes.total, report.weights.tensors, report.weights.parameters, report.weights.bytes,
          tasks::to_json(report)};
}

InferResult infer(Model& model) {
  tasks::InferOptions options;
  options.all = true;
  tasks::InferReport report = tasks::infer(model, options);
  report.file = model.path.string();
  InferResult result{{}, tasks::to_json(report)};
  for (const tasks::ValueLine& line : report.all) result.values.push_back({line.name, line.type, line.complete});
  return result;
}

}  // namespace onnxpress
