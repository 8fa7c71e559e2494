// Building and changing graphs: use lists, node order and `changed` bits are kept right here and nowhere else.
#include "onnxpress/ir/graph.h"

#include <algorithm>

#include "onnxpress/ir/listener.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

namespace {

template <typename Call>
void tell(const Context& context, Call&& call) {
  for (GraphListener* listener : context.listeners) call(*listener);
}

}  // namespace

std::size_t Value::use_count() const {
  std::size_t count = 0;
  for (const Use* use = first_use_; use; use = use->next()) ++count;
  return count;
}

const Node::Rare Node::kNothingRare;

bool Node::is(std::string_view op_type) const { return op_type_ == op_type && is_standard_domain(domain_); }

const Attribute* Node::attribute(std::string_view name) const {
  for (const Attribute* attribute : attributes_) {
    if (attribute->name == name) return attribute;
  }
  return nullptr;
}

// --- Use lists

void Graph::link(Use& use, Value* value) {
  use.value_ = value;
  if (!value) return;
  use.next_ = value->first_use_;
  if (use.next_) use.next_->link_ = &use.next_;
  use.link_ = &value->first_use_;
  value->first_use_ = &use;
}

void Graph::unlink(Use& use) {
  if (!use.value_) return;
  *use.link_ = use.next_;
  if (use.next_) use.next_->link_ = use.link_;
  use.value_ = nullptr;
  use.next_ = nullptr;
  use.link_ = nullptr;
}

// --- Building

Value* Graph::create_value(std::string_view name, const Type* type) {
  if (!name.empty()) context_->names.intern(name);
  Value* value = create_value_of_known_name(name);
  value->type_ = type;
  return value;
}

Value* Graph::create_value_of_known_name(std::string_view name) {
  auto* value = context_->arena.make<Value>();
  value->name_ = name;
  value->graph_ = this;
  value->id_ = context_->value_count++;
  return value;
}

Node* Graph::insert_before(Node* position, const NodeParts& parts) {
  Arena& arena = context_->arena;
  Node* node = arena.make<Node>();
  node->op_type_ = parts.op_type;
  node->domain_ = parts.domain;
  node->name_ = parts.name;
  node->origin_ = parts.origin;
  set_rare(*node, {parts.overload, parts.doc, parts.metadata, parts.device_configurations});
  node->graph_ = this;
  node->id_ = context_->node_count++;
  node->changed_ = parts.origin.data() == nullptr;

  node->inputs_ = arena.array<Use>(parts.inputs.size());
  for (std::size_t i = 0; i < parts.inputs.size(); ++i) {
    node->inputs_[i].user_ = node;
    link(node->inputs_[i], parts.inputs[i]);
  }
  node->outputs_ = arena.copy(parts.outputs);
  for (std::size_t i = 0; i < node->outputs_.size(); ++i) {
    if (Value* value = node->outputs_[i]) {
      value->producer_ = node;
      value->output_index_ = static_cast<std::uint32_t>(i);
    }
  }
  node->attributes_ = arena.copy(parts.attributes);
  for (Attribute* attribute : node->attributes_) {
    for_each_graph_in(*attribute, [node](Graph& body) { body.owner_ = node; });
  }
  insert_links(*node, position);
  if (node->changed_) mark_changed();
  tell(*context_, [node](GraphListener& each) { each.node_created(*node); });
  return node;
}

void Graph::insert_links(Node& node, Node* position) {
  node.next_ = position;
  node.previous_ = position ? position->previous_ : nodes_.last_;
  (node.previous_ ? node.previous_->next_ : nodes_.first_) = &node;
  (position ? position->previous_ : nodes_.last_) = &node;
  ++nodes_.size_;
}

void Graph::remove_links(Node& node) {
  (node.previous_ ? node.previous_->next_ : nodes_.first_) = node.next_;
  (node.next_ ? node.next_->previous_ : nodes_.last_) = node.previous_;
  --nodes_.size_;  // node keeps its own next_, so that a loop standing on it goes on
}

ValueInfo* Graph::add_input(Value* value, const Type* type) {
  value->is_input_ = true;
  if (!value->type_) value->type_ = type;
  inputs_.push_back(context_->arena.make<ValueInfo>(ValueInfo{.value = value, .type = type}));
  mark_changed();
  return inputs_.back();
}

ValueInfo* Graph::add_output(Value* value, const Type* type) {
  ++value->output_uses_;
  if (!value->type_) value->type_ = type;
  outputs_.push_back(context_->arena.make<ValueInfo>(ValueInfo{.value = value, .type = type}));
  mark_changed();
  tell(*context_, [this](GraphListener& each) { each.output_replaced(*this, outputs_.size() - 1, nullptr); });
  return outputs_.back();
}

ValueInfo* Graph::add_value_info(Value* value, const Type* type) {
  if (!value->type_) value->type_ = type;
  value_infos_.push_back(context_->arena.make<ValueInfo>(ValueInfo{.value = value, .type = type}));
  mark_changed();
  return value_infos_.back();
}

void Graph::add_initializer(Value* value, Tensor* tensor) {
  value->initializer_ = tensor;
  tensor->name = value->name_;
  initializers_.push_back(value);
  mark_changed();
  tell(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

void Graph::add_sparse_initializer(Value* value, SparseTensor* tensor) {
  value->sparse_initializer_ = tensor;
  if (tensor->values) tensor->values->name = value->name_;
  sparse_initializers_.push_back(value);
  mark_changed();
  tell(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

void Graph::add_quantization_annotation(const QuantizationAnnotation& annotation) {
  quantization_annotations_.push_back(annotation);
  mark_changed();
}

// --- Changing

void Graph::set_input(Node& node, std::size_t i, Value* value) {
  Value* before = node.inputs_[i].value_;
  if (before == value) return;
  unlink(node.inputs_[i]);
  link(node.inputs_[i], value);
  mark_changed(node);
  tell(*context_, [&](GraphListener& each) { each.operand_replaced(node, i, before); });
}

void Graph::set_inputs(Node& node, std::span<Value* const> values) {
  const std::vector<Value*> wanted(values.begin(), values.end());  // may be a view of the slots that change
  std::vector<Value*> before;
  for (const Use& use : node.inputs_) before.push_back(use.value_);
  if (wanted.size() > node.inputs_.size()) {
    for (Use& use : node.inputs_) unlink(use);
    node.inputs_ = context_->arena.array<Use>(wanted.size());
    for (Use& use : node.inputs_) use.user_ = &node;
  }
  for (std::size_t i = 0; i < node.inputs_.size(); ++i) {
    unlink(node.inputs_[i]);
    if (i < wanted.size()) link(node.inputs_[i], wanted[i]);
  }
  node.inputs_ = node.inputs_.first(wanted.size());
  mark_changed(node);
  for (std::size_t i = 0; i < std::max(before.size(), wanted.size()); ++i) {
    Value* old = i < before.size() ? before[i] : nullptr;
    if (old != node.input(i)) tell(*context_, [&](GraphListener& each) { each.operand_replaced(node, i, old); });
  }
}

void Graph::set_attribute(Node& node, Attribute* attribute) {
  for_each_graph_in(*attribute, [&node](Graph& body) { body.owner_ = &node; });
  mark_changed(node);
  const auto existing = std::ranges::find(node.attributes_, attribute->name, &Attribute::name);
  if (existing != node.attributes_.end()) {
    *existing = attribute;
  } else {
    std::span<Attribute*> grown = context_->arena.array<Attribute*>(node.attributes_.size() + 1);
    std::copy(node.attributes_.begin(), node.attributes_.end(), grown.begin());
    grown.back() = attribute;
    node.attributes_ = grown;
  }
  tell(*context_, [&](GraphListener& each) { each.attribute_changed(node, attribute->name); });
}

void Graph::remove_attribute(Node& node, std::string_view name) {
  const auto end = std::remove_if(node.attributes_.begin(), node.attributes_.end(),
                                  [name](Attribute* a) { return a->name == name; });
  if (end == node.attributes_.end()) return;
  node.attributes_ = node.attributes_.first(static_cast<std::size_t>(end - node.attributes_.begin()));
  mark_changed(node);
  tell(*context_, [&](GraphListener& each) { each.attribute_changed(node, name); });
}

void Graph::set_node_texts(Node& node, std::string_view name, std::string_view doc) {
  node.name_ = name;
  Node::Rare rare = *node.rare_;
  rare.doc = doc;
  set_rare(node, rare);
  mark_changed(node);
}

void Graph::set_node_metadata(Node& node, std::span<const MetadataEntry> metadata) {
  Node::Rare rare = *node.rare_;
  rare.metadata = metadata;
  set_rare(node, rare);
  mark_changed(node);
}

void Graph::set_rare(Node& node, const Node::Rare& rare) {
  const bool nothing =
      !rare.overload.data() && !rare.doc.data() && rare.metadata.empty() && rare.device_configurations.empty();
  node.rare_ = nothing ? &Node::kNothingRare : context_->arena.make<Node::Rare>(rare);
}

void Graph::replace_uses(Value* value, Value* with) {
  if (value == with) return;
  while (Use* use = value->first_use_) {
    Node& user = *use->user_;
    user.graph_->set_input(user, static_cast<std::size_t>(use - user.inputs_.data()), with);
  }
}

void Graph::erase(Node& node) {
  tell(*context_, [&node](GraphListener& each) { each.node_erased(node); });
  for (Use& use : node.inputs_) unlink(use);
  for (Attribute* attribute : node.attributes_) {
    for_each_graph_in(*attribute, [](Graph& body) {
      for (ValueInfo* output : body.outputs_) --output->value->output_uses_;
      for (Node& inner : body.nodes_) body.erase(inner);
    });
  }
  for (Value* output : node.outputs_) {
    if (output) output->producer_ = nullptr;
  }
  remove_links(node);
  node.erased_ = true;
  mark_changed();
}

void Graph::move_before(Node& node, Node* position) {
  if (position == &node) return;
  remove_links(node);
  insert_links(node, position);
  mark_changed();
  tell(*context_, [&node](GraphListener& each) { each.node_moved(node); });
}

void Graph::set_tensor(Value* initializer, Tensor* tensor) {
  initializer->initializer_ = tensor;
  tensor->name = initializer->name_;
  mark_changed();
  tell(*context_, [initializer](GraphListener& each) { each.initializer_changed(*initializer); });
}

void Graph::remove_initializer(Value* value) {
  std::erase(initializers_, value);
  std::erase(sparse_initializers_, value);
  value->initializer_ = nullptr;
  value->sparse_initializer_ = nullptr;
  mark_changed();
  tell(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

void Graph::remove_initializers(std::span<Value* const> values) {
  if (values.empty()) return;
  for (Value* value : values) {
    value->initializer_ = nullptr;
    value->sparse_initializer_ = nullptr;
  }
  std::erase_if(initializers_, [](const Value* value) { return !value->initializer_; });
  std::erase_if(sparse_initializers_, [](const Value* value) { return !value->sparse_initializer_; });
  mark_changed();
  for (Value* value : values) tell(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

void Graph::remove_inputs(std::span<Value* const> values) {
  if (values.empty()) return;
  for (Value* value : values) value->is_input_ = false;
  std::erase_if(inputs_, [](const ValueInfo* info) { return !info->value->is_input_; });
  mark_changed();
  for (Value* value : values) tell(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

void Graph::set_type(ValueInfo& info, const Type* type) {
  info.type = type;
  info.value->type_ = type;
  mark_changed(info);
  tell(*context_, [&info](GraphListener& each) { each.type_changed(*info.value); });
}

void Graph::rename(Value& value, std::string_view name) {
  const std::string_view old = value.name_;
  value.name_ = name;
  if (!name.empty()) context_->names.intern(name);
  if (value.producer_) mark_changed(*value.producer_);
  for (Use* use = value.first_use_; use; use = use->next_) use->user_->graph_->mark_changed(*use->user_);
  for (const auto* list : {&inputs_, &outputs_, &value_infos_}) {
    for (ValueInfo* info : *list) {
      if (info->value == &value) mark_changed(*info);
    }
  }
  for (QuantizationAnnotation& annotation : quantization_annotations_) {
    if (annotation.tensor_name == old) {
      annotation.tensor_name = name;
      annotation.origin = {};
    }
  }
  if (value.initializer_) value.initializer_->name = name;
  if (value.sparse_initializer_ && value.sparse_initializer_->values) value.sparse_initializer_->values->name = name;
  mark_tensors_changed(value);
  tell(*context_, [&](GraphListener& each) { each.value_renamed(value, old); });
}

void Graph::set_name(std::string_view name) {
  name_ = name;
  mark_changed();
}

void Graph::set_doc(std::string_view doc) {
  doc_ = doc;
  mark_changed();
}

void Graph::set_metadata(std::vector<MetadataEntry> metadata) {
  metadata_ = std::move(metadata);
  mark_changed();
}

void Graph::clear_value_infos() {
  if (value_infos_.empty()) return;
  value_infos_.clear();
  mark_changed();
}

void Graph::keep_value_infos(std::vector<ValueInfo*> kept) {
  if (kept.size() == value_infos_.size()) return;
  value_infos_ = std::move(kept);
  mark_changed();
}

void Graph::mark_changed(ValueInfo& info) {
  info.changed = true;
  mark_changed();
}

void Graph::mark_changed(Value& initializer) {
  mark_tensors_changed(initializer);
  tell(*context_, [&initializer](GraphListener& each) { each.initializer_changed(initializer); });
}

void Graph::mark_tensors_changed(Value& initializer) {
  if (initializer.initializer_) initializer.initializer_->changed = true;
  if (SparseTensor* sparse = initializer.sparse_initializer_) {
    sparse->changed = true;
    for (Tensor* part : {sparse->values, sparse->indices}) {
      if (part) part->changed = true;
    }
  }
  mark_changed();
}

void Graph::mark_changed(Node& node, Attribute& attribute) {
  attribute.changed = true;
  mark_changed(node);
  tell(*context_, [&](GraphListener& each) { each.attribute_changed(node, attribute.name); });
}

void Graph::mark_changed(Node& node) {
  node.changed_ = true;
  mark_changed();
}

// The way up: a changed body changes its node (and the attribute that holds it), which changes the graph around it.
void Graph::mark_changed() {
  for (Graph* graph = this; graph;) {
    if (graph->changed_ && graph != this) return;
    graph->changed_ = true;
    if (graph->outer_changed_) *graph->outer_changed_ = true;
    Node* owner = graph->owner_;
    if (!owner) return;
    owner->changed_ = true;
    for (Attribute* attribute : owner->attributes_) {
      for_each_graph_in(*attribute, [&](Graph& body) { attribute->changed |= &body == graph; });
    }
    graph = owner->graph_;
  }
}

// --- For readers

void Graph::set_origin(std::string_view origin) {
  origin_ = origin;
  changed_ = false;
}

void Graph::reorder(std::span<Node* const> nodes) {
  nodes_ = NodeList();
  for (Node* node : nodes) insert_links(*node, nullptr);
}

}  // namespace onnxpress
