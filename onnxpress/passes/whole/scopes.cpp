// Names and scopes.
#include "onnxpress/passes/whole/scopes.h"

#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/shared/annotated_names.h"

namespace onnxpress::passes {

Graph& root_of(Graph& graph) {
  Graph* root = &graph;
  while (Graph* parent = root->parent()) root = parent;
  return *root;
}

Node& outermost(Node& node, const Graph& root) {
  Node* outer = &node;
  while (outer->graph() != &root && outer->graph()->owner()) outer = outer->graph()->owner();
  return *outer;
}

Scopes::Scopes(const Model& model) {
  for_each_graph(model, [this](Graph& graph) {
    for (const ValueInfo* input : graph.inputs()) ++definitions_[input->value->name()];
    for (const auto& list : {graph.initializers(), graph.sparse_initializers()}) {
      for (const Value* value : list) {
        if (!value->is_input()) ++definitions_[value->name()];
      }
    }
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (output) ++definitions_[output->name()];
      }
      // Undefined names count, too: a new value must not take a name that a node already refers to.
      for (const Use& use : node.inputs()) {
        if (use.value() && !use.value()->is_defined()) ++definitions_[use.value()->name()];
      }
    }
    add_annotated_names(graph, pinned_);
  });
}

bool Scopes::is_constant(const Value& value) const {
  if (value.is_input()) return false;
  if (value.name().empty() && !value.is_used()) return false;  // nothing can refer to it
  // The output of a body must be defined in that body, so constants that are outputs stay as they are.
  if (value.is_output() && value.graph()->owner()) return false;
  // If the declaration of an output omits the element type, it follows from the tensor. If a node computed the output
  // instead, a runtime would need the declaration.
  for (const GraphOutput* output = value.first_output(); output; output = output->next_output) {
    if (output->type && output->type->is_tensor() && output->type->element == ElementType::kUndefined) return false;
  }
  if (value.initializer()) return true;
  // A Constant with several attributes is malformed: it is unclear which of them counts.
  const Node* node = value.producer();
  return node && node->is("Constant") && node->output_count() == 1 && node->attributes().size() == 1;
}

std::uint32_t Scopes::definitions(std::string_view name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? 0 : found->second;
}

void Scopes::remove_definition(std::string_view name) {
  if (const auto found = definitions_.find(name); found != definitions_.end() && found->second > 0) --found->second;
}

}  // namespace onnxpress::passes
