// Reads the options, queries the facts, and writes value_info.
#include "onnxpress/tasks/inspect/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnxpress/analysis/facts/losses.h"
#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/inspect/fact_type.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"
#include "onnxpress/tasks/settings/custom_ops.h"

namespace onnxpress {

using analysis::Facts;
using ops::Fact;

namespace {

// --- The report

Fact shown_fact(const Facts& facts, const Value& value) {
  Fact fact = facts.of(value);
  fact.shape = facts.shape_of(value);
  return fact;
}

ValueLine line_of(const Facts& facts, const Value& value) {
  return {std::string(value.name()), analysis::to_string(shown_fact(facts, value)), facts.is_complete(value)};
}

void count(const Facts& facts, const Value& value, InferReport& report) {
  const Fact fact = shown_fact(facts, value);
  ++report.values;
  report.with_rank += fact.shape || (fact.kind != Fact::Kind::kUnknown && !fact.is_tensor());
  report.complete += facts.is_complete(value);
  report.with_sizes += fact.sizes().has_value();
  report.constant += fact.is_constant;
}

InferReport report_of(const Facts& facts, const std::vector<analysis::Loss>& losses, const Model& model,
                      const InferOptions& options) {
  InferReport report;
  for (const ValueInfo* input : inputs::inputs_to_give(model)) report.inputs.push_back(line_of(facts, *input->value));
  for (const ValueInfo* output : model.graph().outputs()) report.outputs.push_back(line_of(facts, *output->value));
  for_each_graph(model.graph(), [&](Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (!output) continue;
        count(facts, *output, report);
        if (options.all) report.all.push_back(line_of(facts, *output));
      }
    }
  });
  for (const analysis::Loss& loss : losses) {
    if (report.losses.size() == options.limit) {
      ++report.losses_left_out;
      continue;
    }
    report.losses.push_back({std::string(loss.value->name()), std::string(loss.node ? loss.node->name() : ""),
                             std::string(loss.node ? loss.node->op_type() : ""), loss.why, loss.values});
  }
  for (const analysis::Contradiction& each : facts.contradictions()) {
    report.contradictions.push_back({std::string(each.value->name()), each.declared, each.inferred});
  }
  for (const analysis::BrokenRule& each : facts.broken_rules()) {
    const Value* result = each.node->output();
    report.broken_rules.push_back({std::string(each.node->name()), std::string(each.node->op_type()),
                                   std::string(result ? result->name() : ""), each.why});
  }
  return report;
}

// --- Types in the file

// Is there an inferred type that is not the same as the declared one?
bool differs(const Type* declared, const Type* inferred) { return inferred && !same_type(declared, inferred); }

// Removes declarations that cannot be true. Those of values for which nothing was inferred stay, because a runtime may
// need them.
void remove_contradictions(Graph& graph, const std::unordered_set<const Value*>& wrong) {
  if (wrong.empty()) return;
  std::vector<ValueInfo*> kept;
  for (ValueInfo* info : graph.value_infos()) {
    if (!wrong.contains(info->value)) kept.push_back(info);
  }
  if (kept.size() < graph.value_infos().size()) graph.keep_value_infos(std::move(kept));
}

void declare_values(Graph& graph, const Facts& facts, const std::unordered_set<const Value*>& wrong) {
  Arena& arena = graph.context().arena;
  std::unordered_map<const Value*, ValueInfo*> declared;
  for (ValueInfo* info : graph.value_infos()) declared.emplace(info->value, info);
  for (const Node& node : graph.nodes()) {
    for (Value* output : node.outputs()) {
      if (!output || output->is_output() || wrong.contains(output)) continue;
      const Type* type = declared_type(shown_fact(facts, *output), arena);
      if (!type) continue;
      if (const auto found = declared.find(output); found != declared.end()) {
        if (differs(found->second->type, type)) graph.set_type(*found->second, type);
      } else {
        graph.add_value_info(output, type);
      }
    }
  }
}

// Inputs and outputs keep their types, except for what the user set and what the file left open.
void declare_interface(Graph& graph, const Facts& facts, const InferOptions& options) {
  const bool bound = !options.bindings.empty();
  for (ValueInfo* input : graph.inputs()) {
    const Type* type = declared_type(shown_fact(facts, *input->value), graph.context().arena);
    if (bound && differs(input->type, type)) graph.set_type(*input, type);
  }
  for (ValueInfo* output : graph.outputs()) {
    const Type* type = declared_type(shown_fact(facts, *output->value), graph.context().arena);
    const bool open = !output->type || (output->type->is_tensor() && !output->type->has_shape);
    if ((bound || open) && facts.is_complete(*output->value) && differs(output->type, type))
      graph.set_type(*output, type);
  }
}

}  // namespace

namespace {

analysis::FactSettings settings_with_trust(const InferOptions& options, const Model& model, const CustomOps& custom) {
  analysis::FactSettings settings = settings_of(options.bindings, model);
  settings.rules = custom.rules();
  settings.trust_value_info = options.trust_value_info;
  return settings;
}

// Adds all values that are computed from these. True if an output of the graph is among them.
bool add_dependents(const Graph& graph, std::unordered_set<const Value*>& values) {
  const auto has = [&values](const Value* value) { return value && values.contains(value); };
  for (const Node& node : graph.nodes()) {
    bool depends = std::ranges::any_of(node.inputs(), [&](const Use& use) { return has(use.value()); });
    for (const Attribute* attribute : node.attributes())
      for_each_graph_in(*attribute, [&](const Graph& body) { depends = add_dependents(body, values) || depends; });
    for (const Value* output : node.outputs()) {
      if (depends && output) values.insert(output);
    }
  }
  return std::ranges::any_of(graph.outputs(), [&](const ValueInfo* output) { return has(output->value); });
}

// The values that broken nodes (those whose operands break a rule) read, and everything these are computed from.
std::unordered_set<const Value*> read_by_broken(const Facts& facts) {
  std::unordered_set<const Value*> found;
  std::vector<const Node*> open;
  for (const analysis::BrokenRule& each : facts.broken_rules()) open.push_back(each.node);
  const auto add = [&](const Value* value) {
    if (value && found.insert(value).second && value->producer()) open.push_back(value->producer());
  };
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    for (const Use& use : node.inputs()) add(use.value());
    for (const Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&add](const Graph& body) {
        for (const ValueInfo* output : body.outputs()) add(output->value);
      });
    }
  }
  return found;
}

// Removes wrong declarations, except those that a broken node depends on, because a runtime may accept that node only
// due to them. Values computed from what a broken node reads get no new type, because a runtime may infer another one.
// Nor do values that a broken node depends on: a runtime that infers less than we do accepts the node as long as the
// file does not declare these types.
void declare_types(Model& model, const Facts& facts, const InferOptions& options) {
  std::unordered_set<const Value*> wrong, kept, untold;
  const std::unordered_set<const Value*> needed = read_by_broken(facts);
  for (const analysis::Contradiction& each : facts.contradictions())
    (needed.contains(each.value) ? kept : wrong).insert(each.value);
  untold = kept;
  for (const analysis::BrokenRule& each : facts.broken_rules()) {
    for (const Use& use : each.node->inputs()) {
      if (use.value()) untold.insert(use.value());
    }
  }
  if (!untold.empty()) add_dependents(model.graph(), untold);
  untold.insert(wrong.begin(), wrong.end());
  untold.insert(needed.begin(), needed.end());
  for_each_graph(model.graph(), [&](Graph& graph) {
    remove_contradictions(graph, wrong);
    declare_values(graph, facts, untold);
  });
  declare_interface(model.graph(), facts, options);
}

// If a rule is broken, equations between dims cannot be trusted: then each node is inferred without solving them.
void declare_proved_types(Model& model, const Facts& facts, analysis::FactSettings settings,
                          const InferOptions& options) {
  if (facts.broken_rules().empty() && facts.contradictions().empty()) return declare_types(model, facts, options);
  settings.solve_dims = false;
  declare_types(model, Facts(model, std::move(settings)), options);
}

}  // namespace

namespace {

// `declare` is called with the facts and their settings, for tasks that change the model.
template <typename AnyModel, typename Declare>
InferReport infer_model(AnyModel& given, const InferOptions& options, const Declare& declare) {
  const CustomOps custom(given, options.custom_ops);
  const Model& model = custom.model();
  const auto begin = Clock::now();
  const analysis::FactSettings settings = settings_with_trust(options, model, custom);
  const Facts facts(model, settings);
  const double seconds = seconds_since(begin);
  const std::vector<analysis::Loss> losses = losses_of(facts, model, custom.rules());
  require_fitting(facts, model);
  InferReport report = report_of(facts, losses, model, options);
  report.seconds = seconds;
  declare(facts, settings);
  return report;
}

}  // namespace

InferReport infer(const Model& model, const InferOptions& options) {
  return infer_model(model, options, [](const Facts&, const analysis::FactSettings&) {});
}

InferReport declare_types(Model& model, const InferOptions& options) {
  require_clear_names(model);
  RestoreOnFailure restore(model);
  InferReport report = infer_model(model, options, [&](const Facts& facts, const analysis::FactSettings& settings) {
    declare_proved_types(model, facts, settings, options);
  });
  restore.keep();
  return report;
}

std::string to_json(const InferReport& report) { return json_text(report); }

std::string to_json(const std::vector<InferRow>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress
