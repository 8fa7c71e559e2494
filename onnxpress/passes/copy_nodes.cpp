// Values, nodes, attributes and bodies, one by one.
#include "onnxpress/passes/copy_nodes.h"

#include <utility>
#include <vector>

#include "onnxpress/ir/constants.h"

namespace onnxpress::passes {

Value* NodeCopier::copy_of(Value* value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? value : found->second;
}

Value* NodeCopier::made_for(Value* value, const Type* type) {
  if (!value) return nullptr;
  Value* made = to_->create_value({}, type);
  values_[value] = made;
  return made;
}

bool NodeCopier::copy(const Graph& from) {
  if (!from.sparse_initializers().empty()) return false;
  for (Value* value : from.initializers()) {
    Tensor* tensor = model_.arena().make<Tensor>(*value->initializer());
    tensor->name = {};
    tensor->origin = {};  // it is written under another name
    values_[value] = add_constant(model_, *to_, position_, tensor);
  }
  for (const Node& node : from.nodes()) copy_node(node);
  return !failed_;
}

void NodeCopier::copy_node(const Node& node) {
  std::vector<Value*> inputs, outputs;
  std::vector<Attribute*> attributes;
  for (const Use& use : node.inputs()) inputs.push_back(copy_of(use.value()));
  for (Value* output : node.outputs()) outputs.push_back(made_for(output, output ? output->type() : nullptr));
  for (const Attribute* attribute : node.attributes()) {
    if (Attribute* made = copy_attribute(*attribute)) attributes.push_back(made);
  }
  to_->insert_before(position_, {.op_type = node.op_type(),
                                 .domain = node.domain(),
                                 .overload = node.overload(),
                                 .name = keeps_names_ ? node.name() : std::string_view(),
                                 .doc = node.doc(),
                                 .inputs = inputs,
                                 .outputs = outputs,
                                 .attributes = attributes,
                                 .metadata = node.metadata(),
                                 .device_configurations = node.device_configurations()});
}

const Attribute* NodeCopier::referred_to(std::string_view name) const {
  for (const auto list : {given_, defaults_}) {
    for (const Attribute* each : list) {
      if (each->name == name) return each;
    }
  }
  return nullptr;
}

Attribute* NodeCopier::copy_attribute(const Attribute& attribute) {
  const bool refers = is_function_ && attribute.is_reference();
  const Attribute* source = refers ? referred_to(attribute.ref_name) : &attribute;
  if (!source) return nullptr;
  auto* made = model_.arena().make<Attribute>(*source);
  made->name = attribute.name;
  if (made->name != source->name) {
    made->origin = {};
    made->changed = true;
  }
  if (const auto* body = std::get_if<Graph*>(&source->value)) {
    made->value = copy_body(**body);
    made->origin = {};
    made->changed = true;
  } else if (std::holds_alternative<std::span<Graph* const>>(source->value)) {
    failed_ = true;  // no op of the standard has a list of bodies
  }
  return made;
}

Graph* NodeCopier::copy_body(const Graph& body) {
  Graph* made = model_.create_body();
  made->set_name(body.name());
  Graph* outer = std::exchange(to_, made);
  Node* position = std::exchange(position_, nullptr);
  for (const ValueInfo* input : body.inputs()) made->add_input(made_for(input->value, input->type), input->type);
  if (!copy(body)) failed_ = true;
  for (const ValueInfo* output : body.outputs()) made->add_output(copy_of(output->value), output->type);
  to_ = outer;
  position_ = position;
  return made;
}

}  // namespace onnxpress::passes
