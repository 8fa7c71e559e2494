// Runs the passes on a model in memory.
#include "onnxpress/tasks/optimize/optimize.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/files/require_order.h"
#include "onnxpress/tasks/files/strip.h"
#include "onnxpress/tasks/optimize/op_changes.h"
#include "onnxpress/tasks/optimize/prepare_model.h"
#include "onnxpress/tasks/optimize/run_rewrites.h"
#include "onnxpress/tasks/optimize/tidy_model.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"

namespace onnxpress {

namespace {

void describe(const passes::DriverReport& done, OptimizeReport& report) {
  report.looping = done.looping;
  for (const passes::RewriteStep& step : done.steps)
    report.steps.push_back(
        {std::string(step.rewrite), step.node, std::string(step.op_type), step.text, step.removed, step.added});
  for (const RewriteInfo& each : rewrites()) {
    const auto found = done.counts.find(each.name);
    if (found != done.counts.end())
      report.rewrites.push_back({std::string(each.name), std::string(each.summary), found->second});
  }
  std::ranges::stable_sort(report.rewrites, std::greater<>(), &RewriteCount::count);
}

void strip_wanted(Model& model, const OptimizeOptions& options, OptimizeReport& report) {
  if (!options.strip && !(options.shrink && options.keep_layers)) return;
  const StripReport removed = strip_origins(model, options.keep_layers);
  const std::uint64_t count = removed.docs + removed.metadata;
  if (count == 0) return;
  report.rewrites.push_back({"strip", "removes texts that say where nodes come from", count});
  report.steps.push_back({"strip", "", "", fmt::format("{} texts", count), {}, {}});
}

std::size_t undefined_outputs(const Model& model) {
  return static_cast<std::size_t>(std::ranges::count_if(
      model.graph().outputs(), [](const ValueInfo* output) { return !output->value->is_defined(); }));
}

// A final check, in case a rewrite damaged the model.
void require_whole(const Model& model, std::size_t undefined_before) {
  std::string problem = onnxpress::verify(model);
  if (problem.empty() && undefined_outputs(model) > undefined_before) problem = "an output of the model was lost";
  if (!problem.empty()) throw Error("optimize", problem, "this is a bug in onnxpress; please report it");
}

}  // namespace

std::vector<RewriteInfo> rewrites() {
  std::vector<RewriteInfo> found;
  found.push_back({"inline-functions", "inlines functions of the model that are called once",
                   name_of(passes::Exactness::kExact), "whole graph"});
  for (const passes::Rewrite* each : passes::all_rewrites())
    found.push_back({each->name, each->summary, name_of(each->exactness), each->group, each->on_request});
  for (const passes::WholeGraphPass* each : passes::all_whole_graph_passes())
    found.push_back({each->name, each->summary, name_of(each->exactness), "whole graph"});
  for (const RewriteInfo& each : tidying()) found.push_back(each);
  for (const passes::Rewrite* each : passes::ort_rewrites())
    found.push_back({each->name, each->summary, name_of(each->exactness), each->group, each->on_request});
  return found;
}

OptimizeReport optimize(Model& model, const OptimizeOptions& options, const StepListener& after_step) {
  CostMeter cost;
  RestoreOnFailure restore(model);
  require_order(model);
  require_clear_names(model);
  OptimizeReport report;
  report.file = model.path.string();
  report.bytes_before = format::encoded_size(model).total();
  const passes::DriverOptions driver = driver_options(options, report.remarks);
  const OpCounts before = count_ops(model, options);
  strip_wanted(model, options, report);
  const auto input_bytes = size_of(model);
  change_interface(model, options);
  note_overridable(model, report);
  require_outputs(model);
  const std::size_t undefined = undefined_outputs(model);
  passes::Removed removed = passes::remove_dead(model);
  std::optional<Model> original;
  if (options.verify || !options.why.empty()) original = model.clone();
  inline_and_convert(model, options, driver, report);
  apply_wanted_rules(model, options, report);
  passes::DriverOptions told = driver;
  if (after_step) told.after_step = [&](const passes::RewriteStep& step) { after_step(model, step.rewrite); };
  const passes::DriverReport done = options.verify
                                        ? run_verified(model, *original, options, driver, input_bytes, report)
                                        : run_rewrites(model, options, told, input_bytes);
  describe(done, report);
  if (report.steps.empty()) removed.nodes += done.dead_nodes;
  tidy(model, options, driver, removed, report);
  require_whole(model, undefined);
  if (!options.why.empty()) report.nodes = fates_of(model, *original, options, driver, report.steps);
  add_op_changes(before, count_ops(model, options), report);
  report.unchanged = report.steps.empty() && !options.wants_another_model();
  report.bytes_after = format::encoded_size(model).total();
  report.origin_bytes = origin_bytes(model);
  restore.keep();
  cost.fill(report);
  return report;
}

std::string to_json_lines(const std::vector<RewriteLine>& steps) {
  std::string out;
  for (const RewriteLine& step : steps) {
    // Strings in JSON contain no raw line ends, so every line end belongs to the layout and can be removed.
    const std::string text = json_text(step);
    bool in_indent = false;
    for (const char c : text) {
      in_indent = c == '\n' || (in_indent && c == ' ');
      if (!in_indent) out += c;
    }
    out += '\n';
  }
  return out;
}

std::string to_json(const OptimizeReport& report) { return json_text(report); }
std::string to_json(const std::vector<ReportRow<OptimizeReport>>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress
