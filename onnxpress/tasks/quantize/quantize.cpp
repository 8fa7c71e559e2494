// The steps, one after the other; each is in a file of its own, but for the shortest.
#include "onnxpress/tasks/quantize/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/whole/freeze_inputs.h"
#include "onnxpress/tasks/quantize/forms/recipe.h"
#include "onnxpress/tasks/quantize/integer/dynamic_plan.h"
#include "onnxpress/tasks/quantize/integer/static_plan.h"
#include "onnxpress/tasks/quantize/layers/layer_inputs.h"
#include "onnxpress/tasks/quantize/layers/scale_channels.h"
#include "onnxpress/tasks/quantize/measure.h"
#include "onnxpress/tasks/quantize/search/choose.h"
#include "onnxpress/tasks/quantize/work.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"
#include "onnxpress/tasks/shrink/check_shrunk.h"

namespace onnxpress {

namespace {

// --- The steps

QuantizeReport report_on(const Model& model, const QuantizeOptions& options) {
  QuantizeReport report;
  report.file = model.path.string();
  report.before = size_of_files(model);
  if (!options.freeze) report.overridable = passes::overridable_bytes(model);
  return report;
}

StepWish steps_for(const Request& request) {
  const QuantizeOptions& options = request.options;
  StepWish wish{.runtime = request.runtime, .freeze = options.freeze};
  if (options.weights_only) {
    for (const MethodName& method : shrink_methods()) wish.skip.emplace_back(method.name);
  }
  // With `encoding=simulate`, rounded floats must stay floats; and runtimes recognize static layers by plain constants
  // in front of DequantizeLinear.
  wish.encodes = !options.weights_only && !options.is_static() && options.encoding != WeightEncoding::kSimulate;
  return wish;
}

void run_lossless_steps(Work& work, StepGroup group) {
  StepResults results{.methods = std::move(work.report.methods), .savings = std::move(work.report.others)};
  run_steps(work.model, group, work.steps, results, work.progress);
  work.report.methods = std::move(results.methods);
  work.report.others = std::move(results.savings);
}

// Integers for layers whose ranges of activations are measured. Runs before weights are planned: those that are left.
void make_static(Work& work) {
  if (!work.request.options.is_static()) return;
  StaticResult made =
      quantize_statically(work.model, work.request.options, work.outputs(), work.request.quality, work.progress);
  work.report.tensors = std::move(made.lines);
  work.report.rounded = work.report.tensors.size();
  work.report.note = std::move(made.note);
  work.integers = {made.noise, made.signal};
  work.changes.new_nodes = true;
}

void require_weights(const Work& work) {
  const QuantizeOptions& options = work.request.options;
  const auto may_change = [](const PlannedWeight& each) { return each.reason_kept.empty(); };
  const auto is_large = [&](const PlannedWeight& each) {
    return each.source != nullptr || each.weight.tensor->element_count().value_or(0) >= options.min_elements;
  };
  if (std::ranges::any_of(work.weights, may_change) || std::ranges::any_of(work.weights, is_large)) return;
  const std::size_t overridable = passes::overridable_initializers(work.model).size();
  const std::string what =
      fmt::format("the model has no float weights with at least {} elements", options.min_elements);
  if (overridable > 0)
    throw Error(
        "",
        fmt::format("{}, apart from {} that callers may override", what, analysis::counted(overridable, "initializer")),
        "use option `freeze` if nobody overrides initializers that are also inputs");
  throw Error("", what,
              "lower option `min_elements`, or use option `include` for tensors that no known op takes as a weight");
}

void plan(Work& work) {
  const QuantizeOptions& options = work.request.options;
  work.weights = plan_weights(work.model, options);
  if (!options.is_static()) require_weights(work);
  if (!options.recipe.empty()) apply_recipe(options.recipe, work.weights);
}

// Integers for layers whose activations are rounded at run time. Runs before all measurements, so that they include
// those roundings.
void make_dynamic(Work& work) {
  const QuantizeOptions& options = work.request.options;
  if (!wants_dynamic(options, work.weights)) return;
  plan_dynamic(work.model, work.weights, options, work.request.runtime);
  if (work.request.measures) work.outputs();  // of the original, before its nodes change
  insert_dynamic(work.model, work.weights, options);
  work.changes.new_nodes = true;
}

// Weights that no recipe names get the scheme for all.
void request_scheme(Work& work) {
  for (PlannedWeight& each : work.weights) {
    if (!each.requested) each.requested = work.request.scheme;
  }
}

void compensate(Work& work) {
  if (!work.request.compensates) return;
  sample_layers(work.model, work.weights, work.outputs(), work.progress);
  work.report.scaled = scale_channels(work.model, work.weights, work.request.options, work.progress);
}

void describe(Work& work) {
  const QuantizeOptions& options = work.request.options;
  if (!options.save_recipe.empty()) save_recipe(options.save_recipe, work.weights);
  describe_choice(work.weights, options, work.integers, work.report);
}

std::set<std::string, std::less<>> names_of_constants(const Model& model) {
  std::set<std::string, std::less<>> names;
  for_each_graph(model.graph(), [&names](Graph& graph) {
    for (const Value* value : graph.initializers()) names.emplace(value->name());
    for (const Node& node : graph.nodes()) {
      if (node.is("Constant") && node.output()) names.emplace(node.output()->name());
    }
  });
  return names;
}

void insert(Work& work) {
  const std::uint64_t before = format::encoded_size(work.model).total();
  Inserted inserted = insert_choice(work.model, work.weights, work.request.options);
  work.report.biases = std::move(inserted.biases);
  work.changes.add(inserted.changes);
  for (const ScaledTensor& each : work.report.scaled) work.changes.allow_more(each.tensor, each.largest_change);
  const std::uint64_t after = format::encoded_size(work.model).total();
  work.report.methods.push_back({"weights", "weights in fewer bits", work.report.rounded,
                                 static_cast<std::int64_t>(before) - static_cast<std::int64_t>(after)});
}

// Codes and scales of weights have names that the user does not know, and the line of the weight includes their bytes.
// What is saved on them is shown only by method.
void list_others(Work& work, const std::set<std::string, std::less<>>& own_names) {
  std::erase_if(work.report.others, [&](const SavingLine& line) { return !own_names.contains(line.tensor); });
  sort_savings(work.report.others);
}

// Where nodes were replaced, only the outputs can be compared.
void check(Work& work, const Model& original) {
  if (work.changes.new_nodes) return;
  Model before = original.clone(), after = work.model.clone();
  require_same_after_shrinking(before, after, work.request.options.freeze, work.changes.rounded());
}

// The one rule for a goal that is missed: there is no result.
QuantizeReport refused(QuantizeReport report, const std::string& why) {
  report.refused = why;
  report.after = report.before;
  return report;
}

}  // namespace

QuantizeReport quantize(Model& model, const QuantizeOptions& options,
                        const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  CostMeter cost;
  const Request request = request_of(options);
  require_usable(model);
  RestoreOnFailure restore(model);
  Work work(model, request, progress);
  work.steps = steps_for(request);
  work.report = report_on(model, options);
  run_lossless_steps(work, StepGroup::kBeforeWeights);
  const auto own_names = names_of_constants(model);
  make_static(work);
  plan(work);
  make_dynamic(work);
  request_scheme(work);
  compensate(work);
  choose(work);
  keep_better_rounding(work);
  const std::string missed = measure(work);
  describe(work);
  cost.fill(work.report);
  if (!missed.empty() && !options.best_effort) return refused(std::move(work.report), missed);
  insert(work);
  run_lossless_steps(work, StepGroup::kAfterWeights);
  list_others(work, own_names);
  check(work, restore.original());
  restore.keep();
  work.report.after = size_as_written(model);
  cost.fill(work.report);
  return std::move(work.report);
}

std::string to_json(const QuantizeReport& report) { return json_text(report); }
std::string to_json(const std::vector<ReportRow<QuantizeReport>>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress
