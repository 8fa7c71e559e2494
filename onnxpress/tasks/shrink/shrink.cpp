// Runs the pipeline, checks the result, and gives the model back as it was if that fails.
#include "onnxpress/tasks/shrink/shrink.h"

#include "onnxpress/base/stages.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/files/read_back.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"
#include "onnxpress/tasks/shrink/check_shrunk.h"
#include "onnxpress/tasks/shrink/pipeline.h"
#include "onnxpress/tasks/verify/compare_outputs.h"

namespace onnxpress {

namespace {

// The model as a reader would see it. One that is too large for a single message cannot be encoded in memory, but its
// graph can still be compared.
Model as_read_back(Model& model) {
  const bool fits = format::encoded_size(model).message <= format::kMaxMessageBytes;
  return fits ? read_back(model) : model.clone();
}

}  // namespace

ShrinkReport shrink(Model& model, const ShrinkOptions& options,
                    const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  CostMeter cost;
  RestoreOnFailure restore(model);
  ShrinkReport report = run_pipeline(model, options, progress).report;
  report.file = model.path.string();
  Model original = restore.original().clone(), after = as_read_back(model);
  require_same_after_shrinking(original, after, options.freeze);
  if (options.verify) {
    report.verified = true;
    original = restore.original().clone();
    begin_stage("running both models");
    report.outputs = compare_outputs(options.engine, original, model);
  }
  restore.keep();
  cost.fill(report);
  return report;
}

std::string to_json(const ShrinkReport& report) { return json_text(report); }
std::string to_json(const std::vector<ReportRow<ShrinkReport>>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress
