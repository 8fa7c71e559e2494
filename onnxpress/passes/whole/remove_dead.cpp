// Walks the nodes backwards, then removes what only dead nodes needed.
#include "onnxpress/passes/whole/remove_dead.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/shared/annotated_names.h"
#include "onnxpress/passes/whole/dead_nodes.h"

namespace onnxpress::passes {

namespace {

class Remover {
 public:
  explicit Remover(Model& model) : model_(model), ops_(model) {}

  Removed remove() {
    for_each_graph(model_, [this](const Graph& graph) { add_annotated_names(graph, named_); });
    remove_nodes(model_.graph());
    for (Function* function : model_.functions) remove_nodes(*function->body);
    for_each_graph(model_, [this](Graph& graph) { remove_initializers(graph); });
    remove_functions();
    remove_opsets();
    return removed_;
  }

 private:
  void remove_nodes(Graph& graph) {
    for (Node* node = graph.nodes().back(); node;) {
      Node* previous = node->previous();
      if (node->used_outputs() == 0 && only_computes(*node, ops_)) {
        graph.erase(*node);
        ++removed_.nodes;
      } else {
        for (Attribute* attribute : node->attributes())
          for_each_graph_in(*attribute, [this](Graph& body) { remove_nodes(body); });
      }
      node = previous;
    }
  }

  void remove_initializers(Graph& graph) {
    std::vector<Value*> unused;
    for (const auto& list : {graph.initializers(), graph.sparse_initializers()}) {
      for (Value* value : list) {
        const bool needed = value->first_use() || value->is_output() || value->is_input() || value->name().empty() ||
                            named_.contains(value->name());
        if (!needed) unused.push_back(value);
      }
    }
    removed_.initializers += unused.size();
    graph.remove_initializers(unused);
  }

  // Without recursion: functions can call functions 100,000 deep.
  std::unordered_set<const Function*> called_functions() const {
    std::unordered_set<const Function*> called;
    std::vector<Graph*> open = {&model_.graph()};
    while (!open.empty()) {
      Graph& graph = *open.back();
      open.pop_back();
      for_each_graph(graph, [&](Graph& inner) {
        for (const Node& node : inner.nodes()) {
          const Function* function = ops_.function_of(node);
          if (function && called.insert(function).second) open.push_back(function->body);
        }
      });
    }
    return called;
  }

  void remove_functions() {
    const std::unordered_set<const Function*> called = called_functions();
    const std::size_t gone = std::erase_if(model_.functions, [&called](const Function* each) {
      return !called.contains(each) && is_self_contained(*each);
    });
    removed_.functions = gone;
    if (gone > 0) model_.mark_changed();
  }

  // Runtimes reject a model without imports, and expect it to import the domains that its functions import.
  void remove_opsets() {
    std::set<std::string_view> used;
    for_each_node(model_, [&used](const Node& node) { used.insert(node.domain()); });
    for (const Function* function : model_.functions) {
      for (const OpsetImport& import : function->opsets) used.insert(import.domain);
    }
    const auto is_needed = [&used](const OpsetImport& import) {
      return is_standard_domain(import.domain) || used.contains(import.domain);
    };
    if (std::ranges::none_of(model_.opsets, is_needed)) return;
    const std::size_t gone = std::erase_if(model_.opsets, std::not_fn(is_needed));
    removed_.opsets = gone;
    if (gone > 0) model_.mark_changed();
  }

  Model& model_;
  analysis::OpResolver ops_;
  std::unordered_set<std::string_view> named_;  // values that annotations name
  Removed removed_;
};

}  // namespace

bool is_self_contained(const Function& function) {
  bool found = true;
  const auto look = [&](const Value* value) {
    const Graph* graph = value ? value->graph() : nullptr;
    while (graph && graph->parent()) graph = graph->parent();
    found &= !value || (graph == function.body && value->is_defined());
  };
  for_each_graph(*function.body, [&look](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Use& use : node.inputs()) look(use.value());
    }
    for (const ValueInfo* output : graph.outputs()) look(output->value);
  });
  return found;
}

Removed remove_dead(Model& model) { return model.training.empty() ? Remover(model).remove() : Removed(); }

}  // namespace onnxpress::passes
