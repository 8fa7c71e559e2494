// The branch's initializers and nodes are made anew in the graph of the If, in front of it.
#include "onnxpress/passes/inline_branch.h"

#include <unordered_map>
#include <vector>

#include "onnxpress/ir/walk.h"

namespace onnxpress::passes {

namespace {

Graph* branch_of(const Node& node, bool condition) {
  const Attribute* attribute = node.attribute(condition ? "then_branch" : "else_branch");
  const auto* graph = attribute ? std::get_if<Graph*>(&attribute->value) : nullptr;
  return graph ? *graph : nullptr;
}

bool has_bodies(const Graph& graph) {
  bool found = false;
  for (const Node& node : graph.nodes()) {
    for (const Attribute* attribute : node.attributes()) for_each_graph_in(*attribute, [&](Graph&) { found = true; });
  }
  return found;
}

class Inliner {
 public:
  Inliner(Node& node, Graph& branch) : node_(node), branch_(branch), graph_(*node.graph()) {}

  void run() {
    for (Value* value : branch_.initializers()) {
      auto* tensor = graph_.context().arena.make<Tensor>(*value->initializer());
      tensor->name = {};
      tensor->origin = {};  // it is written under another name
      graph_.add_initializer(copy_of(value), tensor);
    }
    for (Value* value : branch_.sparse_initializers())
      graph_.add_sparse_initializer(copy_of(value), value->sparse_initializer());
    for (const Node& inner : branch_.nodes()) copy(inner);
    for (std::size_t i = 0; i < node_.output_count() && i < branch_.outputs().size(); ++i) {
      if (node_.output(i)) identities_.emplace_back(node_.output(i), copy_of(branch_.outputs()[i]->value));
    }
    graph_.erase(node_);
    // Values keep their names, and a name has one producer: these nodes come last, where the If stood.
    for (const auto& [result, source] : identities_) {
      Value* const from[] = {source};
      Value* const to[] = {result};
      graph_.insert_before(next_, {.op_type = "Identity", .inputs = from, .outputs = to});
    }
  }

 private:
  // Values from outside of the branch are themselves.
  Value* copy_of(Value* value) {
    if (!value || value->graph() != &branch_) return value;
    Value*& copy = copies_[value];
    if (!copy) copy = graph_.create_value({}, value->type());
    return copy;
  }

  void copy(const Node& inner) {
    std::vector<Value*> inputs, outputs;
    for (const Use& use : inner.inputs()) inputs.push_back(copy_of(use.value()));
    for (Value* output : inner.outputs()) outputs.push_back(copy_of(output));
    graph_.insert_before(&node_, {.op_type = inner.op_type(),
                                  .domain = inner.domain(),
                                  .overload = inner.overload(),
                                  .name = inner.name(),
                                  .doc = inner.doc(),
                                  .inputs = inputs,
                                  .outputs = outputs,
                                  .attributes = inner.attributes()});
  }

  Node& node_;
  Graph &branch_, &graph_;
  Node* next_ = node_.next();
  std::unordered_map<Value*, Value*> copies_;
  std::vector<std::pair<Value*, Value*>> identities_;
};

}  // namespace

bool inline_branch(Model&, Node& node, bool condition) {
  Graph* branch = node.is("If") ? branch_of(node, condition) : nullptr;
  if (!branch || !branch_of(node, !condition) || has_bodies(*branch)) return false;
  Inliner(node, *branch).run();
  return true;
}

}  // namespace onnxpress::passes
