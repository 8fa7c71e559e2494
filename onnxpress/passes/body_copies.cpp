// Copies nodes with NodeCopier; the rest is wiring.
#include "onnxpress/passes/body_copies.h"

#include <algorithm>

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/node_copier.h"

namespace onnxpress::passes {

std::int64_t nodes_in(const Graph& body) {
  std::int64_t count = 0;
  for (const Node& node : body.nodes()) {
    if (!node.is("Constant")) ++count;
    for (const Attribute* attribute : node.attributes())
      for_each_graph_in(*attribute, [&](const Graph& inner) { count += nodes_in(inner); });
  }
  return count;
}

Unroller::Unroller(const Graph& body, Node& node, Rewriter& rw) : body_(body), node_(node), rw_(rw) {
  can_copy_ = body.sparse_initializers().empty() && std::ranges::all_of(body.initializers(), [&](const Value* each) {
                return rw.constant(each).has_value();
              });
}

std::vector<Value*> Unroller::copy(std::span<Value* const> inputs, std::string title) {
  NodeCopier copier(rw_.model());
  copier.name_prefix = std::move(title);
  for (std::size_t i = 0; i < inputs.size(); ++i) copier.map(body_.inputs()[i]->value, inputs[i]);
  if (constants_.empty()) {
    for (const Value* each : body_.initializers()) constants_.push_back(rw_.constant(*rw_.constant(each)));
  }
  for (std::size_t i = 0; i < constants_.size(); ++i) copier.map(body_.initializers()[i], constants_[i]);
  for (const Node& node : body_.nodes()) copier.copy(node, *node_.graph(), &node_);
  std::vector<Value*> outputs;
  for (const ValueInfo* output : body_.outputs()) outputs.push_back(copier.copy_of(output->value));
  return outputs;
}

bool Unroller::finish(std::span<Value* const> results) {
  if (std::ranges::find(results, nullptr) != results.end()) return false;
  for (std::size_t i = 0; i < node_.output_count(); ++i) {
    Value* output = node_.output(i);
    if (!output || !output->is_used()) continue;
    rw_.replace_value(output, output->is_output() ? rw_.make("Identity", {results[i]}) : results[i]);
  }
  if (!node_.erased()) node_.graph()->erase(node_);
  return true;
}

Graph* body_without(const Graph& body, std::optional<std::size_t> input, std::optional<std::size_t> output,
                    Model& model) {
  Graph* made = model.create_body();
  made->set_name(body.name());
  NodeCopier copier(model);
  for (std::size_t i = 0; i < body.inputs().size(); ++i) {
    if (i == input) continue;
    Value* value = made->create_value({}, body.inputs()[i]->type);
    made->add_input(value, body.inputs()[i]->type);
    copier.map(body.inputs()[i]->value, value);
  }
  for (const Value* each : body.initializers())
    copier.map(each, add_constant(model, *made, nullptr, model.arena().make<Tensor>(*each->initializer())));
  for (const Node& node : body.nodes()) copier.copy(node, *made, nullptr);
  for (std::size_t i = 0; i < body.outputs().size(); ++i) {
    if (i != output) made->add_output(copier.copy_of(body.outputs()[i]->value), body.outputs()[i]->type);
  }
  return made;
}

void rebuild_without(Node& node, std::optional<std::size_t> operand, std::optional<std::size_t> result,
                     std::span<Attribute* const> attributes, Rewriter& rw) {
  std::vector<Value*> inputs, outputs, before;
  for (const Use& use : node.inputs()) {
    if (use.index() != operand) inputs.push_back(use.value());
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (i == result) continue;
    before.push_back(node.output(i));
    outputs.push_back(node.output(i) ? node.graph()->create_value({}) : nullptr);
  }
  node.graph()->insert_before(&node, {.op_type = node.op_type(),
                                      .domain = node.domain(),
                                      .name = node.name(),
                                      .doc = node.doc(),
                                      .inputs = inputs,
                                      .outputs = outputs,
                                      .attributes = attributes,
                                      .metadata = node.metadata()});
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] && before[i]->is_used()) rw.replace_value(before[i], outputs[i]);
  }
  if (!node.erased()) node.graph()->erase(node);
}

std::vector<Attribute*> attributes_with(const Node& node, std::string_view name, Graph* body, Model& model) {
  std::vector<Attribute*> attributes;
  for (Attribute* each : node.attributes())
    attributes.push_back(each->name == name ? make_attribute(model.arena(), each->name, body) : each);
  return attributes;
}

}  // namespace onnxpress::passes
