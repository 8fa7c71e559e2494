// Walks back from the outputs of the part until it meets its inputs, the model's inputs or weights.
#include "onnxpress/tasks/parts/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "onnxpress/analysis/captured_values.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/tasks/edit/find_names.h"
#include "onnxpress/tasks/parts/make_part.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace {

std::size_t depth_of(const Graph& graph) {
  std::size_t depth = 0;
  for (const Graph* each = graph.parent(); each; each = each->parent()) ++depth;
  return depth;
}

// Sorts nodes of a body after those of the graphs around it, whose values they may read.
void sort(std::vector<const Node*>& nodes) {
  std::ranges::sort(nodes, [](const Node* a, const Node* b) {
    if (a->graph() == b->graph()) return a->comes_before(*b);
    return depth_of(*a->graph()) < depth_of(*b->graph());
  });
}

// Are values of `outer` visible in `inner`? They are if it is the same graph or one of those around it.
bool sees(const Graph& inner, const Graph& outer) {
  for (const Graph* each = &inner; each; each = each->parent()) {
    if (each == &outer) return true;
  }
  return false;
}

template <typename Visit>
void for_each_operand(const Node& node, Visit&& visit) {
  analysis::for_each_value_read(node, [&](const Value& value) {
    if (value.graph() == node.graph() || !is_inside(value, node)) visit(value);
  });
}

bool is_constant(const Value& value) {
  return (value.initializer() || value.sparse_initializer() || (value.producer() && value.producer()->is("Constant")));
}

class Walker {
 public:
  explicit Walker(const std::vector<const Value*>& inputs) : cut_(inputs.begin(), inputs.end()) {}

  void walk(const std::vector<const Value*>& outputs) {
    for (const Value* output : outputs) push(*output);
    while (!open_.empty()) {
      const Node& node = *open_.back();
      open_.pop_back();
      for_each_operand(node, [this](const Value& value) { push(value); });
    }
  }

  std::unordered_set<const Value*> reached;
  std::vector<const Node*> nodes;
  std::vector<const Value*> model_inputs;  // inputs that the outputs need but that were not requested

 private:
  void push(const Value& value) {
    if (!reached.insert(&value).second || cut_.contains(&value)) return;
    if (const Node* maker = value.producer()) {
      if (seen_.insert(maker).second) {
        nodes.push_back(maker);
        open_.push_back(maker);
      }
    } else if (!value.is_defined()) {
      throw Error("", fmt::format("{} is defined nowhere", quote_name(value.name())), "run `onnxpress check`");
    } else if (!value.initializer() && !value.sparse_initializer()) {
      model_inputs.push_back(&value);
    }
  }

  std::unordered_set<const Value*> cut_;
  std::unordered_set<const Node*> seen_;
  std::vector<const Node*> open_;
};

std::vector<const Value*> values_of(std::span<ValueInfo* const> infos, bool without_initializers) {
  std::vector<const Value*> values;
  for (const ValueInfo* info : infos) {
    if (!without_initializers || (!info->value->initializer() && !info->value->sparse_initializer()))
      values.push_back(info->value);
  }
  return values;
}

void require_one_scope(const std::vector<const Value*>& inputs, const std::vector<const Value*>& outputs) {
  const Graph* innermost = outputs.front()->graph();
  for (const Value* each : outputs) {
    if (sees(*each->graph(), *innermost)) innermost = each->graph();
  }
  for (const auto* list : {&inputs, &outputs}) {
    for (const Value* each : *list) {
      if (sees(*innermost, *each->graph())) continue;
      throw Error("",
                  fmt::format("{} and {} are in different bodies", quote_name(outputs.front()->name()),
                              quote_name(each->name())),
                  "a part must be in one graph, or in a body and the graphs around it");
    }
  }
}

PartPlan between(const Model& model, const NameIndex& names, const ExtractOptions& options, ExtractReport& report) {
  PartPlan plan;
  for (const Value* value : names.values(options.inputs)) plan.inputs.push_back(value);
  for (const Value* value : names.values(options.outputs)) plan.outputs.push_back(value);
  if (plan.outputs.empty()) plan.outputs = values_of(model.graph().outputs(), false);
  if (plan.outputs.empty()) throw Error("", "the model has no outputs", "name the outputs of the part");
  require_one_scope(plan.inputs, plan.outputs);
  Walker walker(plan.inputs);
  walker.walk(plan.outputs);
  plan.nodes = std::move(walker.nodes);
  sort(plan.nodes);
  for (const Value* value : plan.inputs) {
    if (!walker.reached.contains(value)) report.unused_inputs.emplace_back(value->name());
  }
  std::unordered_set<const Value*> needed(walker.model_inputs.begin(), walker.model_inputs.end());
  for (const Value* value : values_of(model.graph().inputs(), true)) {
    if (needed.erase(value) == 0) continue;
    plan.inputs.push_back(value);
    if (!options.inputs.empty()) report.added_inputs.emplace_back(value->name());
  }
  for (const Value* value : walker.model_inputs) {  // those that are left are inputs of bodies
    if (!needed.contains(value)) continue;
    plan.inputs.push_back(value);
    if (!options.inputs.empty()) report.added_inputs.emplace_back(value->name());
  }
  return plan;
}

std::vector<const Node*> chosen_nodes(const NameIndex& names, const ExtractOptions& options) {
  std::unordered_set<const Node*> chosen;
  for (const Node* node : names.nodes(options.nodes)) chosen.insert(node);
  for (const Node* node : names.all_nodes()) {
    if (!options.prefix.empty() && label_of(*node).starts_with(options.prefix)) chosen.insert(node);
  }
  if (chosen.empty())
    throw Error("", fmt::format("no node has a name that begins with {}", quote_name(options.prefix)));
  std::vector<const Node*> nodes;
  for (const Node* node : names.all_nodes()) {
    // Nodes in a body of a chosen node come with that node.
    bool with_owner = false;
    for (const Node* owner = node->graph()->owner(); owner; owner = owner->graph()->owner())
      with_owner |= chosen.contains(owner);
    if (chosen.contains(node) && !with_owner) nodes.push_back(node);
  }
  for (const Node* node : nodes) {
    if (node->graph() != nodes.front()->graph()) {
      throw Error("",
                  fmt::format("{} and {} are in different graphs", quote_name(label_of(*nodes.front())),
                              quote_name(label_of(*node))),
                  "a part must be in one graph");
    }
  }
  return nodes;
}

PartPlan around(const NameIndex& names, const ExtractOptions& options) {
  PartPlan plan;
  plan.nodes = chosen_nodes(names, options);
  std::unordered_set<const Node*> inside(plan.nodes.begin(), plan.nodes.end());
  std::unordered_set<const Value*> read;
  const std::vector<const Node*> chosen = plan.nodes;
  for (const Node* node : chosen) {
    for_each_operand(*node, [&](const Value& value) {
      if (!read.insert(&value).second || (value.producer() && inside.contains(value.producer()))) return;
      if (!is_constant(value)) {
        plan.inputs.push_back(&value);
      } else if (value.producer() && inside.insert(value.producer()).second) {
        plan.nodes.push_back(value.producer());
      }
    });
  }
  sort(plan.nodes);
  std::vector<const Value*> unread;
  for (const Node* node : chosen) {
    for (const Value* output : node->outputs()) {
      if (!output) continue;
      bool outside = output->is_output();
      for (const Use* use = output->first_use(); use && !outside; use = use->next()) {
        const Node* user = use->user();
        while (user->graph() != node->graph() && user->graph()->owner()) user = user->graph()->owner();
        outside = !inside.contains(user);
      }
      if (outside) plan.outputs.push_back(output);
      if (!output->is_used()) unread.push_back(output);
    }
  }
  if (plan.outputs.empty()) plan.outputs = unread;
  return plan;
}

}  // namespace

std::vector<PartValue> lines_of(std::span<ValueInfo* const> infos) {
  std::vector<PartValue> lines;
  for (const ValueInfo* info : infos) {
    if (!info->value->initializer() && !info->value->sparse_initializer())
      lines.push_back({std::string(info->value->name()), to_string(info->type)});
  }
  return lines;
}

Part extract(const Model& model, const ExtractOptions& options) {
  ExtractReport report;
  require_clear_names(model);
  const NameIndex names(model);
  const bool by_nodes = !options.nodes.empty() || !options.prefix.empty();
  if (by_nodes && (!options.inputs.empty() || !options.outputs.empty()))
    throw OptionError("choose a part by its nodes or by its inputs and outputs, not by both");
  const PartPlan plan = by_nodes ? around(names, options) : between(model, names, options, report);
  const bool valid = is_valid(model);
  const analysis::Facts facts(model, {.trust_value_info = true});
  Model part = make_part(model, facts, plan);
  require_valid(part, valid, "the part");
  report.nodes = part.graph().nodes().size();
  report.of_nodes = model.graph().nodes().size();
  report.tensors = part.graph().initializers().size() + part.graph().sparse_initializers().size();
  report.functions = part.functions.size();
  report.inputs = lines_of(part.graph().inputs());
  report.outputs = lines_of(part.graph().outputs());
  return {std::move(part), std::move(report)};
}

std::string to_json(const ExtractReport& report) { return json_text(report); }

}  // namespace onnxpress
