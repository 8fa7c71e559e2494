// Building graphs, their texts, and the `changed` bits. Links are kept in graph_links.cpp, declarations in
// declarations.cpp, the order in order_numbers.cpp.
#include "onnxpress/ir/graph.h"

#include <algorithm>

#include "onnxpress/ir/listener.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

std::size_t Value::use_count() const {
  std::size_t count = 0;
  for (const Use* use = first_use_; use; use = use->next()) ++count;
  return count;
}

const Node::Rare Node::kNothingRare;

std::size_t Node::used_outputs() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(outputs_, [](const Value* value) { return value && value->is_used(); }));
}

const Attribute* Node::attribute(std::string_view name) const {
  for (const Attribute* attribute : attributes_) {
    if (attribute->name == name) return attribute;
  }
  return nullptr;
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
  node->op_id_ = context_->op_names.intern({normal_domain(parts.domain), parts.op_type, parts.overload});
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
      value->output_index_ = static_cast<std::uint32_t>(i) & 0x3fffffff;
    }
  }
  node->attributes_ = arena.copy(parts.attributes);
  for (Attribute* attribute : node->attributes_) {
    for_each_graph_in(*attribute, [node](Graph& body) { body.owner_ = node; });
  }
  insert_links(*node, position);
  if (node->changed_) mark_changed();
  tell_listeners(*context_, [node](GraphListener& each) { each.node_created(*node); });
  return node;
}

void Graph::add_initializer(Value* value, Tensor* tensor) {
  value->tensor_ = tensor;
  value->is_sparse_ = false;
  tensor->name = value->name_;
  initializers_.push_back(value);
  mark_changed();
  tell_listeners(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

void Graph::add_sparse_initializer(Value* value, SparseTensor* tensor) {
  value->tensor_ = tensor;
  value->is_sparse_ = true;
  if (tensor->values) tensor->values->name = value->name_;
  sparse_initializers_.push_back(value);
  mark_changed();
  tell_listeners(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

// --- Initializers

void Graph::set_tensor(Value* initializer, Tensor* tensor) {
  initializer->tensor_ = tensor;
  initializer->is_sparse_ = false;
  tensor->name = initializer->name_;
  mark_changed();
  tell_listeners(*context_, [initializer](GraphListener& each) { each.initializer_changed(*initializer); });
}

namespace {

// Removes up to `count` values that no longer belong in the list. Searches from the end, because removed values are
// mostly recent ones, so that a long list costs little.
template <typename IsGone>
void remove_gone(std::vector<Value*>& list, std::size_t count, IsGone&& is_gone) {
  auto first = list.end();
  while (count > 0 && first != list.begin()) {
    if (is_gone(*--first)) --count;
  }
  list.erase(std::remove_if(first, list.end(), is_gone), list.end());
}

}  // namespace

void Graph::remove_initializer(Value* value) { remove_initializers({&value, 1}); }

void Graph::remove_initializers(std::span<Value* const> values) {
  if (values.empty()) return;
  std::size_t dense = 0, sparse = 0;
  for (Value* value : values) {
    (value->is_sparse_ ? sparse : dense) += value->tensor_ ? 1 : 0;
    value->tensor_ = nullptr;
    value->is_sparse_ = false;
    mark_infos_stale(*value);
  }
  remove_gone(initializers_, dense, [](const Value* value) { return !value->initializer(); });
  remove_gone(sparse_initializers_, sparse, [](const Value* value) { return !value->sparse_initializer(); });
  mark_changed();
  for (Value* value : values)
    tell_listeners(*context_, [value](GraphListener& each) { each.initializer_changed(*value); });
}

// --- Texts

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

// --- The `changed` bits

void Graph::mark_changed(ValueInfo& info) {
  info.changed = true;
  mark_changed();
}

void Graph::mark_changed(Value& initializer) {
  mark_tensors_changed(initializer);
  tell_listeners(*context_, [&initializer](GraphListener& each) { each.initializer_changed(initializer); });
}

void Graph::mark_tensors_changed(Value& initializer) {
  if (Tensor* tensor = initializer.initializer()) tensor->changed = true;
  if (SparseTensor* sparse = initializer.sparse_initializer()) {
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
  tell_listeners(*context_, [&](GraphListener& each) { each.attribute_changed(node, attribute.name); });
}

void Graph::mark_changed(Node& node) {
  node.changed_ = true;
  mark_changed();
}

// Marks everything around this graph as well: the node that owns this body, the attribute that holds it, the graph
// around the node, and so on.
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

void Graph::set_origin(std::string_view origin) {
  origin_ = origin;
  changed_ = false;
}

}  // namespace onnxpress
