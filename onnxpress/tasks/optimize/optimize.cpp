// The way of a model through the passes, and into its file.
#include "onnxpress/tasks/optimize/optimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/driver.h"
#include "onnxpress/passes/freeze_inputs.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/tasks/optimize/compare_results.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/verify/same_model.h"
#include "onnxpress/tasks/verify/write_checked.h"

namespace onnxpress::tasks {

namespace {

using Clock = std::chrono::steady_clock;

std::string op_name(const Node& node) {
  return is_standard_domain(node.domain()) ? std::string(node.op_type())
                                           : fmt::format("{}.{}", node.domain(), node.op_type());
}

// By op, Constant nodes apart: exporters write weights as those or as initializers, as they like.
std::map<std::string, std::uint64_t> count_ops(const Model& model) {
  std::map<std::string, std::uint64_t> counts;
  for_each_node(model, [&](const Node& node) {
    if (!node.is("Constant")) ++counts[op_name(node)];
  });
  return counts;
}

std::uint64_t sum_of(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [op, count] : counts) sum += count;
  return sum;
}

void require_known(const Names& names) {
  const std::vector<RewriteInfo> known = rewrites();
  for (const std::string& name : names) {
    if (std::ranges::any_of(known, [&](const RewriteInfo& each) { return each.name == name; })) continue;
    std::vector<std::string> words;
    for (const RewriteInfo& each : known) words.emplace_back(each.name);
    const std::string guess = nearest(name, words);
    throw Error("", fmt::format("there is no rewrite {}", quote_name(name)),
                guess.empty() ? fmt::format("known are {}", fmt::join(words, ", "))
                              : fmt::format("did you mean {}?", quote_name(guess)));
  }
}

// Sizes and values that the user fixed become part of the model: the result need not be right for others.
void fix_inputs(Model& model, const analysis::Facts& facts) {
  Graph& graph = model.graph();
  for (ValueInfo* input : graph.inputs()) {
    const auto shape = facts.shape_of(*input->value);
    if (!shape || !input->type || !input->type->is_tensor()) continue;
    auto* type = model.arena().make<Type>(*input->type);
    type->origin = {};
    type->has_shape = true;
    type->dims = model.arena().copy(std::span<const Dim>(*shape));
    if (!same_type(type, input->type)) graph.set_type(*input, type);
  }
}

passes::DriverOptions driver_options(const OptimizeOptions& options) {
  passes::DriverOptions driver;
  if (options.exact) driver.least_exact = passes::Exactness::kExact;
  driver.without = options.skip;
  if (!options.only.empty()) {
    for (const RewriteInfo& each : rewrites()) {
      if (std::ranges::find(options.only, each.name) == options.only.end()) driver.without.emplace_back(each.name);
    }
  }
  if (options.stop_after) driver.stop_after = *options.stop_after;
  return driver;
}

// The passes themselves, on a model whose inputs are as the user wants them.
passes::DriverReport run_passes(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver) {
  begin_stage("rewriting");
  analysis::Facts facts(model, settings_of(options.bindings, model));
  facts.follow();
  passes::DriverReport report = passes::apply_rewrites(model, facts, driver);
  if (report.changed()) passes::remove_dead(model);
  return report;
}

void describe(const passes::DriverReport& done, OptimizeReport& report) {
  report.looping = done.looping;
  for (const passes::RewriteStep& step : done.steps)
    report.steps.push_back({std::string(step.rewrite), step.node, std::string(step.op_type), step.text});
  for (const RewriteInfo& each : rewrites()) {
    const auto found = done.counts.find(each.name);
    if (found != done.counts.end())
      report.rewrites.push_back({std::string(each.name), std::string(each.summary), found->second});
  }
  std::ranges::stable_sort(report.rewrites, std::greater<>(), &RewriteCount::count);
}

void add_op_changes(const std::map<std::string, std::uint64_t>& before,
                    const std::map<std::string, std::uint64_t>& after, OptimizeReport& report) {
  report.nodes_before = sum_of(before);
  report.nodes_after = sum_of(after);
  report.ops.clear();
  std::map<std::string, OpChange> changes;
  for (const auto& [op, count] : before) changes[op] = {op, count, 0};
  for (const auto& [op, count] : after) {
    changes[op].op = op;
    changes[op].after = count;
  }
  for (auto& [op, change] : changes) report.ops.push_back(std::move(change));
  std::ranges::stable_sort(report.ops, std::greater<>(), &OpChange::before);
}

// The first rewrite whose application changes what the model computes: by halving the number of steps.
std::string guilty_rewrite(const Model& original, const OptimizeOptions& options, passes::DriverOptions driver,
                           const passes::DriverReport& done) {
  std::size_t good = 0, bad = done.steps.size();
  while (bad - good > 1) {
    driver.stop_after = good + (bad - good) / 2;
    Model trial = original.clone();
    run_passes(trial, options, driver);
    (compare_results(original, trial, options.bindings).differs ? bad : good) = *driver.stop_after;
  }
  return bad == 0 ? std::string() : std::string(done.steps[bad - 1].rewrite);
}

// Runs both; a rewrite that changes the outputs is found and left out, until none is left that does.
passes::DriverReport run_verified(Model& model, const OptimizeOptions& options, OptimizeReport& report) {
  passes::DriverOptions driver = driver_options(options);
  const Model original = model.clone();
  OptimizeCheck check;
  while (true) {
    Model trial = original.clone();
    passes::DriverReport done = run_passes(trial, options, driver);
    const ResultComparison found = compare_results(original, trial, options.bindings);
    check.done = found.done;
    check.reason = found.reason;
    check.runs = found.runs;
    check.largest_difference = found.largest_difference;
    check.floor = found.floor;
    const std::string guilty = found.differs ? guilty_rewrite(original, options, driver, done) : std::string();
    if (guilty.empty()) {
      report.check = std::move(check);
      model = std::move(trial);
      return done;
    }
    check.left_out.push_back(guilty);
    driver.without.push_back(guilty);
  }
}

}  // namespace

std::vector<RewriteInfo> rewrites() {
  std::vector<RewriteInfo> found;
  for (const passes::Rewrite* each : passes::all_rewrites())
    found.push_back({each->name, each->summary, name_of(each->exactness), each->group});
  for (const passes::WholeGraphPass* each : passes::all_whole_graph_passes())
    found.push_back({each->name, each->summary, name_of(each->exactness), "whole graph"});
  return found;
}

OptimizeReport optimize(Model& model, const OptimizeOptions& options) {
  require_known(options.only);
  require_known(options.skip);
  OptimizeReport report;
  const auto before = count_ops(model);
  if (options.freeze) passes::freeze_inputs(model);
  if (!options.bindings.empty()) {
    const analysis::Facts facts(model, settings_of(options.bindings, model));
    require_fitting(facts, model);
    fix_inputs(model, facts);
  }
  passes::remove_dead(model);
  const passes::DriverReport done =
      options.verify ? run_verified(model, options, report) : run_passes(model, options, driver_options(options));
  if (const std::string problem = onnxpress::verify(model); !problem.empty())
    throw Error("optimize", problem, "this is a defect of onnxpress; please report it");
  describe(done, report);
  add_op_changes(before, count_ops(model), report);
  return report;
}

namespace {

std::uint64_t total_bytes(const LoadedModel& loaded) {
  std::uint64_t bytes = loaded.file_bytes;
  for (const auto& file : loaded.model.external_files) {
    std::error_code missing;
    const std::uint64_t size = std::filesystem::file_size(file->path(), missing);
    bytes += missing ? 0 : size;
  }
  return bytes;
}

// What it would take now, in the form of the input: text and JSON are compared by what they stand for.
bool has_grown(LoadedModel& loaded, std::uint64_t encoded_before) {
  return format::encoded_size(loaded.model).total() > encoded_before;
}

}  // namespace

OptimizeReport optimize(const std::string& input, const std::string& output, const OptimizeOptions& options,
                        const ConvertStreams& streams) {
  const auto begin = Clock::now();
  begin_stage("reading");
  LoadedModel loaded = load_model(input, options.load);
  try {
    const std::uint64_t bytes_before = total_bytes(loaded), encoded = format::encoded_size(loaded.model).total();
    OptimizeReport report = optimize(loaded.model, options);
    report.file = loaded.name;
    report.output = output;
    report.dry_run = options.dry_run;
    report.bytes_before = bytes_before;
    const bool other_interface = !options.bindings.empty() || options.freeze;
    report.unchanged = report.steps.empty() && !other_interface;
    if (!options.allow_growth && !other_interface && has_grown(loaded, encoded)) {
      report.unchanged = true;
      report.nodes_after = report.nodes_before;
      for (OpChange& each : report.ops) each.after = each.before;
      report.steps.clear();
      report.rewrites.clear();
    }
    report.bytes_after = report.unchanged ? bytes_before : format::encoded_size(loaded.model).total();
    if (!options.dry_run) {
      ConvertReport written;
      if (report.unchanged) {
        written = convert(input, output, {.load = options.load}, streams);
      } else {
        write_checked(
            loaded, output, options.load, streams, [&](Model& after) { require_same_model(loaded.model, after); },
            written);
      }
      report.files = written.files;
      report.bytes_after = 0;
      for (const WrittenFile& file : written.files) report.bytes_after += file.bytes;
    }
    report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

std::string to_json(const OptimizeReport& report) { return json_text(report); }
std::string to_json(const std::vector<ReportRow<OptimizeReport>>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress::tasks
