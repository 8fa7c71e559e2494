// Runs the passes that the options ask for before any rewrite.
#include "onnxpress/tasks/optimize/prepare_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/regions/apply_rules.h"
#include "onnxpress/passes/whole/freeze_inputs.h"
#include "onnxpress/passes/whole/inline_functions.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/optimize/change_opset.h"
#include "onnxpress/tasks/optimize/resize_inputs.h"
#include "onnxpress/tasks/optimize/run_rewrites.h"

namespace onnxpress {

namespace {

// Makes sizes and values that the user fixed part of the model; the result may be wrong for any others.
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

// What is known about a declared shape: the size where there is one, otherwise what is declared.
std::vector<Dim> dims_known(const Type& declared, const ops::Shape& shape) {
  std::vector<Dim> dims(shape.size());
  if (declared.has_shape && declared.dims.size() == shape.size()) std::ranges::copy(declared.dims, dims.begin());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (shape[i].size().value_or(-1) >= 0) dims[i] = shape[i];
  }
  return dims;
}

// Outputs follow the inputs, and declarations inside that can no longer be true are removed.
void fix_declarations(Model& model, const analysis::Facts& facts) {
  for (ValueInfo* output : model.graph().outputs()) {
    const auto shape = facts.shape_of(*output->value);
    if (!shape || !output->type || !output->type->is_tensor()) continue;
    auto* type = model.arena().make<Type>(*output->type);
    type->origin = {};
    type->has_shape = true;
    type->dims = model.arena().copy(std::span<const Dim>(dims_known(*output->type, *shape)));
    if (!same_type(type, output->type)) model.graph().set_type(*output, type);
  }
  std::unordered_set<const Value*> wrong;
  for (const analysis::Contradiction& each : facts.contradictions()) wrong.insert(each.value);
  if (wrong.empty()) return;
  for_each_graph(model.graph(), [&](Graph& graph) {
    std::vector<ValueInfo*> kept;
    std::ranges::copy_if(graph.value_infos(), std::back_inserter(kept),
                         [&](const ValueInfo* info) { return !wrong.contains(info->value); });
    if (kept.size() < graph.value_infos().size()) graph.keep_value_infos(std::move(kept));
  });
}

bool is_named(const Function& function, const Names& names) {
  return std::ranges::any_of(names, [&function](const std::string& name) {
    return name == "all" || name == function.name || name == fmt::format("{}::{}", function.domain, function.name);
  });
}

void require_functions(const Model& model, const Names& names) {
  for (const std::string& name : names) {
    if (name == "all" ||
        std::ranges::any_of(model.functions, [&](const Function* each) { return is_named(*each, Names{name}); }))
      continue;
    std::vector<std::string_view> known;
    for (const Function* each : model.functions) known.push_back(each->name);
    throw Error("", fmt::format("the model has no function {}", quote_name(name)),
                known.empty() ? "it has none" : fmt::format("it has {}", fmt::join(known, ", ")));
  }
}

}  // namespace

void change_interface(Model& model, const OptimizeOptions& options) {
  if (options.freeze) passes::freeze_inputs(model);
  if (!options.bindings.empty()) {
    const analysis::FactSettings settings = settings_of(options.bindings, model);
    resize_inputs(model, settings);
    const analysis::Facts facts(model, settings);
    require_fitting(facts, model);
    fix_inputs(model, facts);
    if (facts.broken_rules().empty()) fix_declarations(model, facts);
  }
}

void note_overridable(const Model& model, OptimizeReport& report) {
  constexpr std::uint64_t kWorthANote = 256;  // bytes: weights rather than settings
  const std::uint64_t bytes = passes::overridable_bytes(model);
  if (bytes < kWorthANote) return;
  report.remarks.push_back(
      fmt::format("initializers of {} bytes are also inputs, so callers may override them; option `freeze` turns them "
                  "into constants",
                  bytes));
}

namespace {

passes::Inlined inline_wanted_functions(Model& model, const OptimizeOptions& options,
                                        const passes::DriverOptions& driver) {
  std::unordered_set<const Function*> once;
  if (is_wanted("inline-functions", driver) && !options.stop_after) {
    for (const Function* function : passes::functions_called_once(model)) once.insert(function);
  }
  passes::Inlined done = passes::inline_functions(model, [&](const Function& function) {
    return once.contains(&function) || is_named(function, options.inline_functions);
  });
  if (done.calls > 0) passes::remove_dead(model);
  return done;
}

}  // namespace

// Functions with ops of another opset than the model's can be inlined once both have been converted.
void inline_and_convert(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
                        OptimizeReport& report) {
  require_functions(model, options.inline_functions);
  passes::Inlined done = inline_wanted_functions(model, options, driver);
  if (options.opset) {
    const std::string change = change_opset(model, static_cast<std::int64_t>(*options.opset));
    if (!change.empty()) report.remarks.push_back(change);
    passes::Inlined more = inline_wanted_functions(model, options, driver);
    done.calls += more.calls;
    done.kept = std::move(more.kept);
  }
  for (const std::string& kept : done.kept) report.remarks.push_back(fmt::format("not inlined: {}", kept));
  if (done.calls == 0) return;
  report.rewrites.push_back({"inline-functions", "inlines functions of the model", done.calls});
  report.steps.push_back({"inline-functions", "", "", fmt::format("{} calls", done.calls), {}, {}});
}

namespace {

// Reads the functions of the file. They are added to the model, so that their nodes can be copied, and then removed
// from its list again.
std::vector<passes::Rule> rules_in(Model& model, const std::string& path) {
  LoadedModel file = open_model(path);
  const std::size_t own = model.functions.size();
  format::add_functions(model, format::encode_model(file.model));
  const std::vector<Function*> read(model.functions.begin() + static_cast<std::ptrdiff_t>(own), model.functions.end());
  model.functions.resize(own);
  std::vector<passes::Rule> rules;
  for (const Function* pattern : read) {
    if (pattern->domain != "pattern") continue;
    const auto replacement = std::ranges::find_if(
        read, [&](const Function* each) { return each->domain == "replacement" && each->name == pattern->name; });
    if (replacement == read.end()) {
      Error error("", fmt::format("pattern {} has no replacement", quote_name(pattern->name)),
                  "docs/commands/fuse.md shows the form of a rule");
      error.set_file(path);
      throw error;
    }
    rules.push_back({pattern, *replacement});
  }
  if (!rules.empty()) return rules;
  Error error("", "it contains no rules", "a rule is a function in domain pattern and one in domain replacement");
  error.set_file(path);
  throw error;
}

}  // namespace

void apply_wanted_rules(Model& model, const OptimizeOptions& options, OptimizeReport& report) {
  if (!options.rules) return;
  for (const passes::RuleReport& done : passes::apply_rules(model, rules_in(model, *options.rules))) {
    if (done.count == 0) {
      report.remarks.push_back(fmt::format("rule {} matches nowhere: {}", done.rule, done.reason));
      continue;
    }
    report.rewrites.push_back({done.rule, "your own rule", done.count});
    for (const std::string& node : done.nodes) report.steps.push_back({done.rule, node, "", "your own rule", {}, {}});
  }
  passes::remove_dead(model);
}

}  // namespace onnxpress
