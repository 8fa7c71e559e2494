// Copies everything a part needs into a new model.
#include "onnxpress/tasks/parts/make_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "onnxpress/analysis/captured_values.h"
#include "onnxpress/analysis/check/check.h"
#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/copy_nodes.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/inspect/fact_type.h"

namespace onnxpress {

namespace {

const Type* interface_type(const analysis::Facts& facts, const Value& value) {
  const Type* type = declared_type(facts, value);
  if (type) return type;
  throw Error("", fmt::format("the type of {} is not known", quote_name(value.name())),
              "cut at another value, or run `onnxpress infer` to see why it is not known");
}

// Functions that the nodes call, and those that these call.
std::vector<const Function*> functions_of(const Model& model, const std::vector<const Node*>& nodes) {
  const analysis::OpResolver ops(model);
  std::unordered_set<const Function*> called;
  std::vector<const Function*> open;
  const auto look_at = [&](const Node& node) {
    const Function* function = ops.function_of(node);
    if (function && called.insert(function).second) open.push_back(function);
  };
  const auto look_into = [&](const Node& node) {
    look_at(node);
    for (const Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&](Graph& body) {
        for_each_graph(body, [&](Graph& inner) { std::ranges::for_each(inner.nodes(), look_at); });
      });
    }
  };
  for (const Node* node : nodes) look_into(*node);
  while (!open.empty()) {
    const Function* function = open.back();
    open.pop_back();
    for_each_graph(*function->body, [&](Graph& graph) { std::ranges::for_each(graph.nodes(), look_at); });
  }
  std::vector<const Function*> in_order;
  for (const Function* each : model.functions) {
    if (called.contains(each)) in_order.push_back(each);
  }
  return in_order;
}

// Initializers that the nodes read, in the order of first use.
std::vector<const Value*> initializers_of(const PartPlan& plan) {
  std::vector<const Value*> found;
  std::unordered_set<const Value*> seen(plan.inputs.begin(), plan.inputs.end());
  const auto look_at = [&](const Value& value, const Node* reader) {
    if (!value.initializer() && !value.sparse_initializer()) return;
    if (reader && is_inside(value, *reader)) return;
    if (seen.insert(&value).second) found.push_back(&value);
  };
  for (const Node* node : plan.nodes)
    analysis::for_each_value_read(*node, [&](const Value& value) { look_at(value, node); });
  for (const Value* value : plan.outputs) look_at(*value, nullptr);
  return found;
}

// A part without the weights of an external file does not need that file.
void forget_unused_files(Model& part) {
  std::unordered_set<const ExternalFile*> used;
  for_each_tensor(part, [&used](const Tensor& tensor, const TensorPlace&) {
    if (const auto* range = std::get_if<FileRange>(&tensor.content)) used.insert(range->file.get());
  });
  std::erase_if(part.external_files, [&used](const auto& file) { return !used.contains(file.get()); });
}

}  // namespace

bool is_inside(const Value& value, const Node& node) {
  for (const Graph* graph = value.graph(); graph && graph->owner(); graph = graph->owner()->graph()) {
    if (graph->owner() == &node) return true;
  }
  return false;
}

Model make_part(const Model& model, const analysis::Facts& facts, const PartPlan& plan) {
  Model part;
  NodeCopier copier(model, part);
  copier.copy_header();
  Graph& graph = part.graph();
  for (const Value* input : plan.inputs) {
    const Type* type = copier.copy(interface_type(facts, *input));
    Value* made = copier.copy(*input);
    copier.cut(*input, made);
    graph.add_input(made, type);
  }
  for (const Value* value : initializers_of(plan)) {
    copier.copy_initializer(*value);
    // Callers may override it, as before. (Files of IR version 3 have no other initializers.)
    if (value->is_input()) graph.add_input(copier.copy(*value), copier.copy(value->type()));
  }
  for (const Node* node : plan.nodes) copier.copy(*node, graph);
  for (const Value* output : plan.outputs)
    graph.add_output(copier.copy(*output), copier.copy(interface_type(facts, *output)));
  std::unordered_set<const Graph*> graphs;
  for (const Node* node : plan.nodes) {
    if (graphs.insert(node->graph()).second) copier.copy_value_infos(*node->graph());
  }
  for (const Function* function : functions_of(model, plan.nodes)) copier.copy(*function);
  forget_unused_files(part);
  return part;
}

bool is_valid(const Model& model) {
  const std::optional<Model> named = named_copy(model);
  return analysis::check(named ? *named : model, {.external_files = false}).count(Severity::kError) == 0;
}

void require_valid(Model& result, bool original_is_valid, std::string_view what) {
  name_values(result);
  if (const std::string problem = verify(result); !problem.empty())
    throw Error(std::string(what), problem, "this is a bug in onnxpress; please report it");
  if (!original_is_valid) return;
  const analysis::Findings findings = analysis::check(result, {.external_files = false});
  for (const analysis::Finding& each : findings.kept) {
    if (each.severity != Severity::kError) continue;
    throw Error(each.where, fmt::format("{} would not be valid: {}", what, each.message));
  }
}

}  // namespace onnxpress
