// Every graph of a model as a drawing needs it: the main graph, bodies of If, Loop and Scan, functions, training
// graphs.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/text/print_model.h"
#include "web/bridge/drawn_graph.h"
#include "web/bridge/tasks.h"

namespace onnxpress::web {

namespace {

std::string name_of(const Value* value) { return value ? std::string(value->name()) : std::string(); }

class Drawer {
 public:
  explicit Drawer(Model& model) : model_(model), facts_(model) {
    for_each_graph(model, [this](const Graph& graph) { numbers_.emplace(&graph, numbers_.size()); });
    for (const Function* each : model.functions)
      functions_.emplace(key_of(each->domain, each->name, each->overload), each);
  }

  DrawnModel draw() const {
    DrawnModel drawn;
    std::unordered_map<const Graph*, std::string> functions;
    for (const Function* each : model_.functions)
      functions.emplace(each->body, std::string(each->domain) + "::" + std::string(each->name));
    for_each_graph(model_, [&](const Graph& graph) {
      DrawnGraph made = draw(graph);
      if (const auto found = functions.find(&graph); found != functions.end()) made.function = found->second;
      drawn.graphs.push_back(std::move(made));
    });
    return drawn;
  }

 private:
  DrawnGraph draw(const Graph& graph) const {
    DrawnGraph drawn{.name = std::string(graph.name())};
    if (const auto found = numbers_.find(graph.parent()); found != numbers_.end()) drawn.parent = found->second;
    for (const ValueInfo* info : graph.inputs()) drawn.inputs.push_back(name_of(info->value));
    for (const ValueInfo* info : graph.outputs()) drawn.outputs.push_back(name_of(info->value));
    for (const Node& node : graph.nodes()) drawn.nodes.push_back(draw(node));
    if (has_facts(graph)) add_types(graph, drawn);
    for (const Value* value : graph.initializers()) {
      const Tensor& tensor = *value->initializer();
      drawn.weights.push_back(
          {name_of(value), to_string(tensor.type, tensor.dims), tensor.expected_bytes().value_or(0)});
    }
    return drawn;
  }

  DrawnNode draw(const Node& node) const {
    DrawnNode drawn{.name = std::string(node.name()),
                    .op = std::string(node.op_type()),
                    .domain = std::string(normal_domain(node.domain()))};
    for (const Use& use : node.inputs()) drawn.inputs.push_back(name_of(use.value()));
    for (const Value* value : node.outputs()) drawn.outputs.push_back(name_of(value));
    for (const Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&](Graph& body) {
        drawn.bodies.push_back({std::string(attribute->name), numbers_.at(&body)});
        for_each_graph(body, [&](const Graph& inner) { add_captured(inner, node, drawn.captured); });
      });
    }
    std::ranges::sort(drawn.captured);
    drawn.captured.erase(std::unique(drawn.captured.begin(), drawn.captured.end()), drawn.captured.end());
    const auto called = functions_.find(key_of(node.domain(), node.op_type(), node.overload()));
    if (called != functions_.end()) drawn.bodies.push_back({"", numbers_.at(called->second->body)});
    constexpr std::uint64_t kShort = 8;
    drawn.text = text::print_node(node, {.elide_above = kShort, .hide_bodies = true});
    return drawn;
  }

  static void add_captured(const Graph& body, const Node& owner, std::vector<std::string>& captured) {
    const auto add = [&](const Value* value) {
      if (!value) return;
      for (const Graph* graph = value->graph(); graph; graph = graph->parent()) {
        if (graph->owner() == &owner) return;  // a value of the body itself
      }
      captured.push_back(name_of(value));
    };
    for (const Node& node : body.nodes()) {
      for (const Use& use : node.inputs()) add(use.value());
    }
    for (const ValueInfo* output : body.outputs()) add(output->value);
  }

  static std::string key_of(std::string_view domain, std::string_view name, std::string_view overload) {
    std::string key(normal_domain(domain));
    for (const std::string_view part : {name, overload}) key.append(1, '\0').append(part);
    return key;
  }

  // The types in a function depend on its callers, so there are no facts.
  bool has_facts(const Graph& graph) const {
    const Graph* outermost = &graph;
    while (outermost->parent()) outermost = outermost->parent();
    return outermost == &model_.graph();
  }

  void add_types(const Graph& graph, DrawnGraph& drawn) const {
    const auto add = [&](const Value* value) {
      if (!value) return;
      ops::Fact fact = facts_.of(*value);
      fact.shape = facts_.shape_of(*value);
      drawn.values.push_back({name_of(value), analysis::to_string(fact)});
    };
    for (const ValueInfo* input : graph.inputs()) add(input->value);
    for (const Node& node : graph.nodes()) {
      for (const Value* value : node.outputs()) add(value);
    }
  }

  Model& model_;
  const analysis::Facts facts_;
  std::unordered_map<const Graph*, std::uint64_t> numbers_;
  std::unordered_map<std::string, const Function*> functions_;
};

}  // namespace

std::string graph_json(const std::string& path) {
  LoadedModel loaded = open_model(path);
  return json_text(Drawer(loaded.model).draw());
}

}  // namespace onnxpress::web
