// Removes a call, then copies the nodes of the function in its place to compute the results of the call.
#include "onnxpress/passes/whole/inline_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/regions/node_copier.h"
#include "onnxpress/passes/whole/remove_dead.h"

namespace onnxpress::passes {

namespace {

constexpr std::size_t kMostNewNodes = 1'000'000;

std::string name_of(const Function& function) {
  return function.domain.empty() ? std::string(function.name) : fmt::format("{}::{}", function.domain, function.name);
}

using Calls = std::unordered_map<const Function*, std::vector<const Function*>>;

// Removes functions that call no remaining function until every remaining one does. Takes time linear in the number of
// calls, no matter how deep they are.
std::unordered_set<const Function*> in_cycles(const Model& model, const Calls& calls) {
  Calls callers;
  std::unordered_map<const Function*, std::size_t> left;
  std::vector<const Function*> open;
  std::unordered_set<const Function*> found(model.functions.begin(), model.functions.end());
  for (const Function* function : model.functions) {
    const auto at = calls.find(function);
    left[function] = at == calls.end() ? 0 : at->second.size();
    if (left[function] == 0) open.push_back(function);
    if (at == calls.end()) continue;
    for (const Function* called : at->second) callers[called].push_back(function);
  }
  while (!open.empty()) {
    const Function* function = open.back();
    open.pop_back();
    found.erase(function);
    for (const Function* caller : callers[function]) {
      if (--left[caller] == 0) open.push_back(caller);
    }
  }
  return found;
}

// Functions that call themselves, directly or indirectly, and those that call such functions.
std::unordered_set<const Function*> recursive_functions(const Model& model, const analysis::OpResolver& ops) {
  Calls calls;
  for (const Function* function : model.functions) {
    for_each_graph(*function->body, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) {
        if (const Function* called = ops.function_of(node)) calls[function].push_back(called);
      }
    });
  }
  return in_cycles(model, calls);
}

class Inliner {
 public:
  Inliner(Model& model, const std::function<bool(const Function&)>& wanted)
      : model_(model), wanted_(wanted), ops_(model), recursive_(recursive_functions(model, ops_)) {}

  Inlined run() {
    std::vector<Node*> open;
    for_each_graph(model_.graph(), [&](Graph& graph) {
      for (Node& node : graph.nodes()) open.push_back(&node);
    });
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      const Function* function = node->erased() ? nullptr : ops_.function_of(*node);
      if (!function || !wanted_(*function) || !can_be(*function)) continue;
      if (gives_all_results(*function, *node))
        put_in_place(*node, *function, open);
      else
        report_.kept.push_back(fmt::format("{}: a call has more results than the function", name_of(*function)));
    }
    std::ranges::sort(report_.kept);
    return std::move(report_);
  }

 private:
  static bool gives_all_results(const Function& function, const Node& call) {
    const auto results = call.outputs();
    const std::size_t given = std::min(results.size(), function.body->outputs().size());
    return std::ranges::all_of(results.subspan(given), [](const Value* result) { return !result; });
  }

  bool can_be(const Function& function) {
    const auto [at, is_new] = reasons_.try_emplace(&function);
    if (is_new) {
      at->second = recursive_.contains(&function) ? "it calls itself, or a function that does"
                   : !is_self_contained(function) ? "it reads values that it does not define"
                                                  : import_conflict(function);
      if (!at->second.empty()) report_.kept.push_back(fmt::format("{}: {}", name_of(function), at->second));
    }
    return at->second.empty();
  }

  // Ops of the function must mean the same in the model.
  std::string import_conflict(const Function& function) {
    for (const OpsetImport& import : function.opsets) {
      const auto version = model_.opset(import.domain);
      if (!version || *version == import.version) continue;
      bool same = true;
      for_each_graph(*function.body, [&](const Graph& graph) {
        for (const Node& node : graph.nodes()) {
          if (normal_domain(node.domain()) != normal_domain(import.domain) || ops_.function_of(node)) continue;
          const ops::Op* before = ops::find_op(normal_domain(import.domain), node.op_type(), import.version);
          same &= before && before == ops::find_op(normal_domain(import.domain), node.op_type(), *version);
        }
      });
      if (!same) return fmt::format("its ops use opset {}, but the model uses opset {}", import.version, *version);
    }
    return {};
  }

  void add_imports(const Function& function) {
    for (const OpsetImport& import : function.opsets) {
      if (model_.opset(import.domain)) continue;
      model_.opsets.push_back({import.domain, import.version, {}});
      model_.mark_changed();
    }
  }

  void put_in_place(Node& call, const Function& function, std::vector<Node*>& open) {
    ++report_.calls;
    add_imports(function);
    Graph& graph = *call.graph();
    NodeCopier copier(model_);
    if (!call.name().empty()) copier.name_prefix = std::string(call.name()) + "/";
    copier.referred = [&call, &function](std::string_view name) -> const Attribute* {
      if (const Attribute* given = call.attribute(name)) return given;
      const auto found = std::ranges::find(function.attribute_defaults, name, &Attribute::name);
      return found == function.attribute_defaults.end() ? nullptr : *found;
    };
    const auto inputs = function.body->inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) copier.map(inputs[i]->value, call.input(i));
    Node* next = call.next();
    while (next && next->erased()) next = next->next();
    const std::vector<Value*> results(call.outputs().begin(), call.outputs().end());
    graph.erase(call);
    for (Node* copied : copier.copy_all(*function.body, graph, next, results))
      for_each_node_inside(*copied, [&open](Node& each) { open.push_back(&each); });
    if (model_.context().node_count > kMostNewNodes + first_count_)
      throw Error("", "inlining the functions would create more than a million nodes", "inline fewer of them");
  }

  template <typename Visit>
  static void for_each_node_inside(Node& node, const Visit& visit) {
    visit(node);
    for (Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&visit](Graph& body) {
        for_each_graph(body, [&visit](Graph& graph) {
          for (Node& each : graph.nodes()) visit(each);
        });
      });
    }
  }

  Model& model_;
  const std::function<bool(const Function&)>& wanted_;
  analysis::OpResolver ops_;
  std::unordered_set<const Function*> recursive_;
  std::unordered_map<const Function*, std::string> reasons_;
  std::size_t first_count_ = model_.context().node_count;
  Inlined report_;
};

}  // namespace

Inlined inline_functions(Model& model, const std::function<bool(const Function& function)>& wanted) {
  if (model.functions.empty() || !model.training.empty()) return {};
  return Inliner(model, wanted).run();
}

std::vector<const Function*> functions_called_once(const Model& model) {
  const analysis::OpResolver ops(model);
  std::unordered_map<const Function*, std::size_t> calls;
  for_each_node(model, [&](const Node& node) {
    if (const Function* function = ops.function_of(node)) ++calls[function];
  });
  std::vector<const Function*> once;
  for (const Function* function : model.functions) {
    if (calls[function] == 1) once.push_back(function);
  }
  return once;
}

}  // namespace onnxpress::passes
