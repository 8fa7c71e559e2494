// Copies nodes. Values of copies have no names yet; they get free ones when the model is written.
#include "onnxpress/passes/regions/node_copier.h"

#include <unordered_set>
#include <utility>

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/shared/copy_with.h"

namespace onnxpress::passes {

Value* NodeCopier::copy_of(Value* value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? value : found->second;
}

Value* NodeCopier::made(Value* value, Graph& graph) {
  if (!value) return nullptr;
  const auto [at, is_new] = values_.try_emplace(value);
  if (is_new) at->second = graph.create_value({}, value->type());
  return at->second;
}

Node* NodeCopier::copy(const Node& node, Graph& to, Node* position) {
  std::vector<Value*> inputs, outputs;
  std::vector<Attribute*> attributes;
  for (const Use& use : node.inputs()) inputs.push_back(copy_of(use.value()));
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  for (const Attribute* attribute : node.attributes()) {
    if (Attribute* copied = copy(*attribute)) attributes.push_back(copied);
  }
  for (Value* output : node.outputs()) outputs.push_back(made(output, to));
  Arena& arena = model_.arena();
  const std::string_view name =
      node.name().empty() || name_prefix.empty() ? node.name() : arena.text(name_prefix + std::string(node.name()));
  NodeParts parts = parts_with(node, inputs, outputs);
  parts.name = name;
  parts.attributes = attributes;
  return to.insert_before(position, parts);
}

std::vector<Node*> NodeCopier::copy_all(const Graph& body, Graph& to, Node* position, std::span<Value* const> results) {
  // The copied nodes compute `results` directly; a result that is an operand, or the same value as another one, needs
  // an Identity.
  std::vector<std::pair<Value*, Value*>> others;
  std::unordered_set<const Value*> taken;
  const auto outputs = body.outputs();
  for (std::size_t i = 0; i < results.size() && i < outputs.size(); ++i) {
    Value* source = outputs[i]->value;
    if (!results[i]) continue;
    const bool made_there = source->producer() && source->producer()->graph() == &body;
    if (made_there && taken.insert(source).second)
      map(source, results[i]);
    else
      others.emplace_back(results[i], source);
  }
  std::vector<Node*> copies;
  for (const Node& node : body.nodes()) copies.push_back(copy(node, to, position));
  for (const auto& [result, source] : others) {
    Value* from = copy_of(source);
    if (!from) continue;  // an omitted operand
    Value* made_result = result;
    copies.push_back(
        to.insert_before(position, {.op_type = "Identity", .inputs = {&from, 1}, .outputs = {&made_result, 1}}));
  }
  return copies;
}

Attribute* NodeCopier::copy(const Attribute& attribute) {
  const Attribute* source = &attribute;
  if (attribute.is_reference() && referred) source = referred(attribute.ref_name);
  if (!source) return nullptr;
  Arena& arena = model_.arena();
  Attribute* made = arena.make<Attribute>(*source);
  made->name = attribute.name;
  made->origin = {};
  made->changed = true;
  if (const auto* body = std::get_if<Graph*>(&source->value)) {
    made->value = copy_body(**body);
  } else if (const auto* bodies = std::get_if<std::span<Graph* const>>(&source->value)) {
    std::vector<Graph*> copies;
    for (const Graph* each : *bodies) copies.push_back(copy_body(*each));
    made->value = std::span<Graph* const>(arena.copy(std::span<Graph* const>(copies)));
  }
  return made;
}

Graph* NodeCopier::copy_body(const Graph& body) {
  Graph* copied = model_.create_body();
  copied->set_name(body.name());
  for (const ValueInfo* input : body.inputs()) copied->add_input(made(input->value, *copied), input->type);
  for (Value* value : body.initializers()) {
    Tensor* tensor = model_.arena().make<Tensor>(*value->initializer());
    tensor->name = {};
    tensor->origin = {};
    copied->add_initializer(made(value, *copied), tensor);
  }
  for (Value* value : body.sparse_initializers())
    copied->add_sparse_initializer(made(value, *copied), value->sparse_initializer());
  for (const Node& node : body.nodes()) copy(node, *copied, nullptr);
  for (const ValueInfo* output : body.outputs()) copied->add_output(copy_of(output->value), output->type);
  return copied;
}

}  // namespace onnxpress::passes
