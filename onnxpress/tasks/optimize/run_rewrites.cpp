// Chooses rewrites by name, runs them, and bisects when one of them turns out to be wrong.
#include "onnxpress/tasks/optimize/run_rewrites.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/optimize/other_names.h"

namespace onnxpress {

namespace {

bool is_rewrite(std::string_view name) {
  const std::vector<RewriteInfo> known = rewrites();
  return std::ranges::any_of(known, [name](const RewriteInfo& each) { return each.name == name; });
}

[[noreturn]] void fail_unknown(const std::string& name) {
  std::vector<std::string> words;
  for (const RewriteInfo& each : rewrites()) words.emplace_back(each.name);
  std::vector<std::string> all = words;
  for (const OtherName& each : other_names()) all.emplace_back(each.name);
  const std::string guess = nearest(name, all);
  throw OptionError(fmt::format("there is no rewrite {}", quote_name(name)),
                    guess.empty() ? fmt::format("known rewrites: {}", fmt::join(words, ", "))
                                  : fmt::format("did you mean {}?", quote_name(guess)));
}

// Translates the names that the user gave, which may be those of other tools, to ours.
std::vector<std::string> names_of_rewrites(const Names& asked, std::vector<std::string>& remarks) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    if (is_rewrite(name)) {
      names.push_back(name);
      continue;
    }
    const OtherName* other = find_other_name(name);
    if (!other) fail_unknown(name);
    const std::size_t before = names.size();
    for (const std::string_view ours : names_meant(*other)) {
      if (is_rewrite(ours)) names.emplace_back(ours);
    }
    if (names.size() == before)
      remarks.push_back(
          fmt::format("{}: {}", name, other->remark.empty() ? "there is no such rewrite yet" : other->remark));
  }
  return names;
}

// When no rewrite applies any more, runs again with additional ones, for operators of ONNX Runtime. The other rewrites
// take part, to simplify what these leave behind.
void run_more(Model& model, const analysis::Facts& facts, passes::DriverOptions driver,
              std::span<const passes::Rewrite* const> rewrites, passes::DriverReport& report,
              std::uint64_t growth = 0) {
  if (driver.stop_after) *driver.stop_after -= std::min(*driver.stop_after, report.steps.size());
  driver.rewrites = rewrites;
  driver.growth = growth;
  passes::DriverReport more = passes::apply_rewrites(model, facts, driver);
  report.steps.insert(report.steps.end(), more.steps.begin(), more.steps.end());
  for (const auto& [name, count] : more.counts) report.counts[name] += count;
  report.dead_nodes += more.dead_nodes;
  report.dead_constants += more.dead_constants;
  if (report.looping.empty()) report.looping = more.looping;
}

}  // namespace

passes::DriverOptions driver_options(const OptimizeOptions& options, std::vector<std::string>& remarks) {
  passes::DriverOptions driver;
  if (options.exact && options.approximate)
    throw OptionError("options `exact` and `approximate` cannot be combined", "use one of them");
  if (options.exact) driver.least_exact = passes::Exactness::kExact;
  if (options.approximate) driver.least_exact = passes::Exactness::kApproximate;
  driver.without = names_of_rewrites(options.skip, remarks);
  std::vector<std::string> asked = names_of_rewrites(options.only, remarks);
  for (std::string& each : names_of_rewrites(options.also, remarks)) asked.push_back(std::move(each));
  for (const RewriteInfo& each : rewrites()) {
    const bool on_request = !options.only.empty() || each.on_request;
    if (on_request && std::ranges::find(asked, each.name) == asked.end()) driver.without.emplace_back(each.name);
  }
  if (options.stop_after) driver.stop_after = *options.stop_after;
  driver.fold_limit = options.fold_limit;
  driver.records_nodes = options.records_nodes || !options.why.empty();
  return driver;
}

bool is_wanted(std::string_view name, const passes::DriverOptions& driver) {
  return std::ranges::find(driver.without, name) == driver.without.end();
}

namespace {

// Counts nodes in bodies, too, but not Constant nodes.
std::size_t count_nodes(const Model& model) {
  std::size_t count = 0;
  for_each_node(model, [&count](const Node& node) { count += node.is("Constant") ? 0 : 1; });
  return count;
}

void infer(const Model& model, const OptimizeOptions& options, std::optional<analysis::Facts>& facts) {
  facts.emplace(model, settings_of(options.bindings, model));
  facts->follow();
}

// Computes constants that take more bytes than they free, as far as the result gets no larger than `most_bytes`.
void compute_large_constants(Model& model, std::optional<analysis::Facts>& facts, const OptimizeOptions& options,
                             const passes::DriverOptions& driver, std::uint64_t most_bytes,
                             passes::DriverReport& report) {
  constexpr int kMostRounds = 4;  // a round may free more than it was known before
  for (int round = 0; round < kMostRounds && passes::has_large_constants(model, *facts); ++round) {
    const auto bytes = size_of(model);
    if (!bytes || *bytes >= most_bytes) return;
    Model smaller = model.clone();
    passes::DriverReport known = report;
    run_more(model, *facts, driver, driver.rewrites, report, most_bytes - *bytes);
    const std::size_t steps = report.steps.size();
    if (steps == known.steps.size() || (driver.stop_after && steps >= *driver.stop_after)) return;
    if (const auto now = size_of(model); now && *now <= most_bytes) continue;
    facts.reset();
    model = std::move(smaller);
    report = std::move(known);
    return infer(model, options, facts);
  }
}

struct Trial {
  Model model;
  passes::DriverReport report;
  std::size_t nodes = 0;
};

// Goes on with the operators of ONNX Runtime from a copy of a model that was optimized without them.
Trial with_ort(const Model& before, const passes::DriverReport& report, const OptimizeOptions& options,
               const passes::DriverOptions& driver) {
  Trial trial{before.clone(), report};
  {
    analysis::Facts facts(trial.model, settings_of(options.bindings, trial.model));
    facts.follow();
    run_more(trial.model, facts, driver, passes::rewrites_with_ort_regions(), trial.report);
    run_more(trial.model, facts, driver, passes::rewrites_with_ort(), trial.report);
  }
  trial.nodes = count_nodes(trial.model);
  return trial;
}

// The best result without one of the rewrites to operators of ONNX Runtime that were applied; `before` if all of them
// leave more nodes than that.
Trial without_growth(Model before, passes::DriverReport report, const passes::DriverReport& grown,
                     const OptimizeOptions& options, const passes::DriverOptions& driver) {
  const std::size_t nodes = count_nodes(before);
  std::optional<Trial> best;
  for (const passes::Rewrite* each : passes::ort_rewrites()) {
    if (!grown.counts.contains(each->name)) continue;
    passes::DriverOptions fewer = driver;
    fewer.without.emplace_back(each->name);
    Trial trial = with_ort(before, report, options, fewer);
    if (trial.nodes <= nodes && (!best || trial.nodes < best->nodes)) best = std::move(trial);
  }
  return best ? std::move(*best) : Trial{std::move(before), std::move(report), nodes};
}

}  // namespace

std::optional<std::uint64_t> size_of(const Model& model) {
  try {
    return format::encoded_size(model).total();
  } catch (const Error&) {
    return std::nullopt;
  }
}

passes::DriverReport run_rewrites(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
                                  std::optional<std::uint64_t> input_bytes) {
  passes::DriverReport report_before;
  std::optional<Model> before;  // the result without operators of ONNX Runtime
  std::optional<analysis::Facts> facts;
  infer(model, options, facts);
  begin_stage("rewriting");
  passes::DriverReport report = passes::apply_rewrites(model, *facts, driver);
  if (options.allow_growth) input_bytes = std::numeric_limits<std::uint64_t>::max();
  // `shrink` wants the smallest file, and would only have to find out how to compute the constants again.
  if (input_bytes && (options.allow_growth || !options.shrink))
    compute_large_constants(model, facts, options, driver, *input_bytes, report);
  if (options.target == OptimizeTarget::kOrt) {
    before = model.clone();
    report_before = report;
    run_more(model, *facts, driver, passes::rewrites_with_ort_regions(), report);
    run_more(model, *facts, driver, passes::rewrites_with_ort(), report);
  }
  facts.reset();
  // Stopping early is for bisection, which needs every step.
  if (before && !driver.stop_after && count_nodes(model) > count_nodes(*before)) {
    Trial kept = without_growth(std::move(*before), std::move(report_before), report, options, driver);
    model = std::move(kept.model);
    report = std::move(kept.report);
  }
  if (report.changed()) passes::remove_dead(model);
  return report;
}

}  // namespace onnxpress
