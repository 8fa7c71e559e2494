// Pairs up inputs and outputs, compares the structure, and runs both models in each engine.
#include "onnxpress/tasks/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/compare/same_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/verify/engine_comparison.h"
#include "onnxpress/tasks/verify/locate.h"
#include "onnxpress/tasks/verify/require_sense.h"

namespace onnxpress {

namespace {

using compare::OutputPairs;

// Do the types exclude each other, by element type, rank or a fixed size? It is fine if one leaves open what the other
// fixes.
bool takes_other_inputs(const Type* first, const Type* second) {
  const ops::Fact a = analysis::fact_of(first), b = analysis::fact_of(second);
  if (!a.is_tensor() || !b.is_tensor()) return a.is_tensor() != b.is_tensor() && first && second;
  if (a.element != b.element) return a.element != ElementType::kUndefined && b.element != ElementType::kUndefined;
  if (!a.shape || !b.shape) return false;
  if (a.rank() != b.rank()) return true;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    const auto x = (*a.shape)[axis].size(), y = (*b.shape)[axis].size();
    if (x && y && *x >= 0 && *y >= 0 && *x != *y) return true;
  }
  return false;
}

void compare_input(const ValueInfo& first, const ValueInfo& second, VerifyReport& report) {
  if (!takes_other_inputs(first.type, second.type)) return;
  report.interface.push_back(fmt::format("input {} is {} in the first model, but {} in the second",
                                         quote_name(first.value->name()), to_string(first.type),
                                         to_string(second.type)));
}

// Callers refer to inputs by name: each must be in both models, unless it has a default. If no name is the same
// (another exporter), they are paired by position.
void pair_inputs(VerifyCase& pair, VerifyReport& report) {
  const auto first = inputs::inputs_to_give(pair.first), second = inputs::inputs_to_give(pair.second);
  const auto has = [](const auto& list, std::string_view name) {
    return std::ranges::any_of(list, [name](const ValueInfo* info) { return info->value->name() == name; });
  };
  const auto is_there = [&](const ValueInfo* info) { return has(second, info->value->name()); };
  if (!first.empty() && first.size() == second.size() && std::ranges::none_of(first, is_there)) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      pair.renamed.emplace_back(first[i]->value->name(), second[i]->value->name());
      compare_input(*first[i], *second[i], report);
    }
    report.notes.emplace_back("the inputs have different names: they were paired by position");
    return;
  }
  for (const ValueInfo* info : first) {
    if (!is_there(info))
      report.interface.push_back(fmt::format("the second model has no input {}", quote_name(info->value->name())));
  }
  for (const ValueInfo* info : second) {
    const std::string_view name = info->value->name();
    for (const ValueInfo* same : first) {
      if (same->value->name() == name) compare_input(*same, *info, report);
    }
    if (has(first, name)) continue;
    report.interface.push_back(fmt::format("the first model has no input {}", quote_name(name)));
  }
}

// Pairs outputs by name or, if no name is the same, by position.
OutputPairs pair_outputs(const Model& first, const Model& second, VerifyReport& report) {
  std::vector<std::string>& problems = report.interface;
  const auto left = first.graph().outputs(), right = second.graph().outputs();
  OutputPairs pairs;
  std::set<std::size_t> found;
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      const bool same_name = left[i]->value->name() == right[j]->value->name();
      if (same_name && found.insert(j).second) {  // a value may be an output more than once
        pairs.emplace_back(i, j);
        break;
      }
    }
  }
  if (pairs.empty() && left.size() == right.size()) {
    for (std::size_t i = 0; i < left.size(); ++i) pairs.emplace_back(i, i);
    if (!left.empty()) report.notes.emplace_back("the outputs have different names: they were paired by position");
    return pairs;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::ranges::none_of(pairs, [i](const auto& each) { return each.first == i; }))
      problems.push_back(fmt::format("the second model has no output {}", quote_name(left[i]->value->name())));
  }
  for (std::size_t j = 0; j < right.size(); ++j) {
    if (!found.contains(j))
      problems.push_back(fmt::format("the first model has no output {}", quote_name(right[j]->value->name())));
  }
  return pairs;
}

// The ops of all nodes in order, without Constant nodes, so that it does not matter how constants are stored.
std::vector<std::string_view> ops_of(const Model& model) {
  std::vector<std::string_view> ops;
  for_each_node(model, [&ops](const Node& node) {
    if (!node.is("Constant")) ops.push_back(node.op_type());
  });
  return ops;
}

// The first difference in the structure of the models; empty if there is none.
std::string structural_difference(const Model& first, const Model& second) {
  try {
    Model a = first.clone(), b = second.clone();
    passes::remove_dead(a);
    passes::remove_dead(b);
    const auto found = compare::find_model_difference(a, b);
    return found ? found->what : std::string();
  } catch (const Error& error) {
    return fmt::format("cannot be compared: {}", error.message());
  }
}

// If the second model does not run, only the files can show where the difference is.
void locate_in_files(const Model& first, const Model& second, const VerifyOptions& options, VerifyReport& report) {
  if (!options.locate || report.location || report.verdict != Verdict::kDiffers || report.structure.empty()) return;
  try {
    report.location = locate_by_structure(first, second);
  } catch (const Error&) {  // a constant that cannot be read
  }
}

Verdict overall(const VerifyReport& report) {
  Verdict verdict = report.interface.empty() ? Verdict::kIdentical : Verdict::kDiffers;
  for (const EngineReport& each : report.engines) verdict = std::max(verdict, each.verdict.value_or(verdict));
  return verdict;
}

// If nothing could run the first model, only the structure can answer.
void require_answer(const VerifyReport& report) {
  const bool compared =
      std::ranges::any_of(report.engines, [](const EngineReport& each) { return each.verdict.has_value(); });
  if (compared || report.verdict == Verdict::kDiffers || report.structure.empty()) return;
  std::string why;
  for (const EngineReport& each : report.engines) why += (why.empty() ? "" : "; ") + each.engine + ": " + each.reason;
  throw Error("verify", why.empty() ? "no runtime can run them" : why,
              "give inputs that it takes: option `samples`, option `shape`, option `dim` or option `value`");
}

}  // namespace

namespace {

// Runs both models in one engine, and adds the result to the report.
void compare_in(const engines::Engine& engine, const VerifyCase& pair, VerifyResult& report) {
  EngineComparison comparison(pair, engine);
  report.engines.push_back(comparison.compare());
  if (!report.guilty && comparison.guilty()) report.guilty = *comparison.guilty();
  if (pair.options.locate && !report.location && comparison.guilty()) {
    begin_stage("looking for the place where they begin to differ");
    const engines::NamedArrays& inputs = comparison.guilty()->arrays;
    report.location = locate({pair.first, inputs}, {pair.second, comparison.inputs_of_second(inputs)}, engine);
  }
  if (report.kept_first.empty()) {
    report.kept_first = std::move(comparison.kept_first);
    report.kept_second = std::move(comparison.kept_second);
  }
}

// If no runtime was chosen, and the one that was found refuses the first model.
bool must_ask_evaluator(const VerifyOptions& options, const engines::Engines& engines, const VerifyReport& report) {
  const auto is_evaluator = [](const auto& each) { return each->is_evaluator(); };
  const auto answers = [](const EngineReport& each) { return each.verdict.has_value(); };
  return !options.engine && options.provider.empty() && !engines.empty() &&
         std::ranges::none_of(engines, is_evaluator) && std::ranges::none_of(report.engines, answers);
}

VerifyResult compare_all(const Model& first, const Model& second, const VerifyCall& options,
                         const engines::Engines& engines, bool same_files) {
  const auto begin = Clock::now();
  VerifyResult report;
  report.within_tolerance = options.tolerance > 0 || options.quality > 0;
  const analysis::FactSettings settings = settings_of(options.bindings, first);
  const analysis::Facts facts(first, settings);
  require_fitting(facts, first);
  VerifyCase pair{.first = first, .second = second, .facts = facts, .options = options};
  pair.values.assign(settings.values.begin(), settings.values.end());
  pair.samples = options.samples ? inputs::read_samples(*options.samples, first) : options.given;
  pair_inputs(pair, report);
  pair.outputs = pair_outputs(first, second, report);
  pair.same_ops = ops_of(first) == ops_of(second);
  pair.few_differences = pair.same_ops && !same_files;
  for (const auto& engine : engines) compare_in(*engine, pair, report);
  if (must_ask_evaluator(options, engines, report)) {
    report.notes.push_back(fmt::format("{} does not run the first model, so the built-in evaluator runs both",
                                       report.engines.front().engine));
    compare_in(*engines::evaluator_engine(), pair, report);
  }
  report.verdict = overall(report);
  report.seconds = seconds_since(begin);
  return report;
}

}  // namespace

VerifyResult verify_outputs(const Model& first, const Model& second, const VerifyCall& options,
                            const engines::Engines& engines) {
  return compare_all(first, second, options, engines, true);
}

engines::Engines engines_for(const VerifyOptions& options, const std::string& library) {
  return engines::engines_for(
      {.runtime = options.engine, .provider = options.provider, .library = library, .seconds = options.time_limit});
}

VerifyResult verify_models(const Model& first, const Model& second, const VerifyCall& options,
                           const engines::Engines& engines) {
  require_sense(options);
  std::string structure = structural_difference(first, second);
  VerifyResult report = compare_all(first, second, options, engines, structure.empty());
  report.structure = std::move(structure);
  locate_in_files(first, second, options, report);
  require_answer(report);
  return report;
}

std::string to_json(const VerifyReport& report) { return json_text(report); }

}  // namespace onnxpress
