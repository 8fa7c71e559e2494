// Runs the pipeline, checks the result, and gives the model back as it was if that fails.
#include "onnxpress/tasks/shrink/shrink.h"

#include "onnxpress/base/error.h"
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

namespace onnxpress::tasks {

namespace {

// The model as a reader would see it. One that is too large for a single message cannot be encoded in memory, but its
// graph can still be compared.
Model as_read_back(Model& model) {
  const bool fits = format::encoded_size(model).message <= format::kMaxMessageBytes;
  return fits ? read_back(model) : model.clone();
}

}  // namespace

void require_one_verification(const ShrinkOptions& options) {
  if (options.verify && options.weights.is_lossy())
    throw Error("", "option `verify` compares bits, but option `weights` changes them",
                "use option `measure`, which compares outputs");
}

ShrinkReport shrink(Model& model, const ShrinkOptions& options,
                    const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  require_one_verification(options);
  CostMeter cost;
  RestoreOnFailure restore(model);
  ShrunkModel made = run_pipeline(model, options, progress);
  ShrinkReport& report = made.report;
  report.file = model.path.string();
  if (report.refused.empty()) {
    Model original = restore.original().clone(), after = as_read_back(model);
    require_same_after_shrinking(original, model, after, options, made);
    if (options.verify) {
      report.verified = true;
      if (made.extracted.empty()) {
        original = restore.original().clone();
        begin_stage("running both models");
        report.outputs = compare_outputs(options.engine, original, model);
      }
    }
    restore.keep();
  }
  cost.fill(report);
  return std::move(report);
}

std::string to_json(const ShrinkReport& report) { return json_text(report); }
std::string to_json(const std::vector<ReportRow<ShrinkReport>>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress::tasks
