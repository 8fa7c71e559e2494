// One call after the other, innermost functions first.
#include "onnxpress/passes/inline_functions.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/copy_nodes.h"

namespace onnxpress::passes {

namespace {

class Inliner {
 public:
  explicit Inliner(Model& model) : model_(model), ops_(model) {}

  std::size_t run(const std::function<bool(const Function&, std::size_t)>& wanted) {
    for_each_node(model_, [this](Node& node) {
      if (const Function* function = ops_.function_of(node)) ++calls_[function];
    });
    for (const Function* function : model_.functions) {
      if (wanted(*function, calls_[function])) chosen_.insert(function);
    }
    for (const Function* function : model_.functions) inline_calls_in(*function);
    inline_calls_of(model_.graph());
    remove_uncalled();
    return done_;
  }

 private:
  // What a function calls is inlined before its own body is copied anywhere. One that is met again calls itself.
  void inline_calls_in(const Function& function) {
    if (finished_.contains(&function)) return;
    if (!open_.insert(&function).second) {
      chosen_.erase(&function);
      return;
    }
    for_each_graph(*function.body, [this](Graph& graph) {
      for (Node& node : graph.nodes()) {
        if (const Function* called = ops_.function_of(node)) inline_calls_in(*called);
      }
    });
    const std::size_t before = done_;
    inline_calls_of(*function.body);
    if (done_ != before) const_cast<Function&>(function).changed = true;
    open_.erase(&function);
    finished_.insert(&function);
  }

  void inline_calls_of(Graph& root) {
    std::vector<Node*> found;
    for_each_graph(root, [&](Graph& graph) {
      for (Node& node : graph.nodes()) {
        const Function* function = ops_.function_of(node);
        if (function && chosen_.contains(function) && !open_.contains(function) && means_the_same(*function, graph))
          found.push_back(&node);
      }
    });
    for (Node* node : found) inline_call(*node, *ops_.function_of(*node));
  }

  // Does every node of the function mean the same op where it is called?
  bool means_the_same(const Function& function, const Graph& caller) {
    bool same = true;
    for_each_graph(*function.body, [&](Graph& graph) {
      for (const Node& node : graph.nodes()) {
        if (ops_.function_of(node)) continue;
        const std::string_view domain = normal_domain(node.domain());
        const auto there = ops_.version_of(domain, graph), here = ops_.version_of(domain, caller);
        const ops::Op* op = ops_.op_of(node);
        same = same && here && (there == here || (op && op == ops_.op_named(domain, node.op_type(), caller)));
      }
    });
    return same;
  }

  // A result that is an operand which the call leaves out has nothing to be.
  static bool gives_all_results(const Node& call, const Function& function) {
    const auto inputs = function.body->inputs();
    return call.input_count() <= inputs.size() &&
           std::ranges::all_of(function.body->outputs(), [&](const ValueInfo* output) {
             const auto input = std::ranges::find(inputs, output->value, &ValueInfo::value);
             return input == inputs.end() || call.input(static_cast<std::size_t>(input - inputs.begin()));
           });
  }

  void inline_call(Node& call, const Function& function) {
    Graph& graph = *call.graph();
    if (!gives_all_results(call, function)) return;
    NodeCopier copier(model_, graph, &call);
    if (calls_[&function] == 1) copier.keep_names();
    copier.set_attributes(call.attributes(), function.attribute_defaults);
    std::size_t i = 0;
    for (const ValueInfo* input : function.body->inputs()) copier.replace(input->value, call.input(i++));
    if (!copier.copy(*function.body)) return;
    std::vector<std::pair<Value*, Value*>> results;
    for (i = 0; i < call.output_count() && i < function.body->outputs().size(); ++i) {
      if (call.output(i)) results.emplace_back(call.output(i), copier.copy_of(function.body->outputs()[i]->value));
    }
    Node* next = call.next();
    graph.erase(call);
    // The results keep their names; remove-identity makes them those of the copied nodes.
    for (const auto& [result, source] : results) {
      Value* const from[] = {source};
      Value* const to[] = {result};
      graph.insert_before(next, {.op_type = "Identity", .inputs = from, .outputs = to});
    }
    ++done_;
  }

  void remove_uncalled() {
    if (done_ == 0) return;
    std::unordered_set<const Function*> called;
    for_each_node(model_, [&](Node& node) {
      if (const Function* function = ops_.function_of(node)) called.insert(function);
    });
    std::erase_if(model_.functions,
                  [&](const Function* each) { return chosen_.contains(each) && !called.contains(each); });
    model_.mark_changed();
  }

  Model& model_;
  const analysis::OpResolver ops_;
  std::unordered_map<const Function*, std::size_t> calls_;
  std::unordered_set<const Function*> chosen_, open_, finished_;
  std::size_t done_ = 0;
};

}  // namespace

std::size_t inline_functions(Model& model, const std::function<bool(const Function&, std::size_t)>& wanted) {
  return model.functions.empty() ? 0 : Inliner(model).run(wanted);
}

std::size_t inline_functions_called_once(Model& model) {
  return inline_functions(model, [](const Function&, std::size_t calls) { return calls == 1; });
}

}  // namespace onnxpress::passes
