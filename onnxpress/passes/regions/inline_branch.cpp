// Copies the nodes of the branch into the graph of the If, because nodes and values cannot move between graphs.
#include "onnxpress/passes/regions/inline_branch.h"

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/shared/copy_with.h"

namespace onnxpress::passes {

namespace {

void move_constants(Model& model, Graph& branch, Node& position) {
  Graph& outer = *position.graph();
  const std::vector<Value*> dense(branch.initializers().begin(), branch.initializers().end());
  for (Value* value : dense) {
    Tensor* tensor = model.arena().make<Tensor>(*value->initializer());
    tensor->name = {};
    tensor->origin = {};  // it is written with another name
    branch.replace_all_uses(value, add_constant(model, outer, &position, tensor));
  }
  const std::vector<Value*> sparse(branch.sparse_initializers().begin(), branch.sparse_initializers().end());
  for (Value* value : sparse) {
    Value* copy = outer.create_value({}, value->type());
    outer.add_sparse_initializer(copy, value->sparse_initializer());
    branch.replace_all_uses(value, copy);
  }
}

void move_node(Node& node, Node& position) {
  Graph& outer = *position.graph();
  std::vector<Value*> inputs, outputs;
  for (const Use& use : node.inputs()) inputs.push_back(use.value());
  for (const Value* output : node.outputs())
    outputs.push_back(output ? outer.create_value({}, output->type()) : nullptr);
  outer.insert_before(&position, parts_with(node, inputs, outputs));
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (node.output(i)) node.graph()->replace_all_uses(node.output(i), outputs[i]);
  }
}

}  // namespace

Graph* branch_of(const Node& node, bool condition) {
  const Attribute* attribute = node.attribute(condition ? "then_branch" : "else_branch");
  const auto* graph = attribute ? std::get_if<Graph*>(&attribute->value) : nullptr;
  return graph && (*graph)->outputs().size() == node.output_count() ? *graph : nullptr;
}

std::vector<Value*> move_out(Model& model, Graph& branch) {
  Node& position = *branch.owner();
  move_constants(model, branch, position);
  for (Node& node : branch.nodes()) move_node(node, position);
  std::vector<Value*> results;
  for (const ValueInfo* output : branch.outputs()) results.push_back(output->value);
  return results;
}

bool inline_branch(Model& model, Node& node, bool condition) {
  Graph* branch = node.is("If") ? branch_of(node, condition) : nullptr;
  if (!branch) return false;
  const std::vector<Value*> results = move_out(model, *branch);
  const std::vector<Value*> outputs(node.outputs().begin(), node.outputs().end());
  Graph& graph = *node.graph();
  Node* next = node.next();
  graph.erase(node);
  // A value can have only one producer, so the If is erased before the Identity nodes take its place.
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    graph.insert_before(
        next, {.op_type = "Identity", .inputs = std::span(&results[i], 1), .outputs = std::span(&outputs[i], 1)});
  }
  return true;
}

}  // namespace onnxpress::passes
