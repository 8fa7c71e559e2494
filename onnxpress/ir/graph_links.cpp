// Use lists: which operands, graph outputs and bodies use a value.
#include <algorithm>
#include <utility>
#include <vector>

#include "onnxpress/ir/graph.h"
#include "onnxpress/ir/listener.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

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

// --- Operands

void Graph::set_input(Node& node, std::size_t i, Value* value) {
  Value* before = node.inputs_[i].value_;
  if (before == value) return;
  unlink(node.inputs_[i]);
  link(node.inputs_[i], value);
  mark_changed(node);
  tell_listeners(*context_, [&](GraphListener& each) { each.operand_replaced(node, i, before); });
}

void Graph::set_inputs(Node& node, std::span<Value* const> values) {
  const std::vector<Value*> wanted(values.begin(), values.end());  // `values` may view the slots that change
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
    if (old != node.input(i))
      tell_listeners(*context_, [&](GraphListener& each) { each.operand_replaced(node, i, old); });
  }
}

void Graph::replace_operands(Value* value, Value* with) {
  if (value == with) return;
  while (Use* use = value->first_use_) use->user_->graph_->set_input(*use->user_, use->index(), with);
}

void Graph::replace_all_uses(Value* value, Value* with) {
  if (value == with) return;
  replace_operands(value, with);
  while (GraphOutput* output = value->first_output_) output->graph->set_output(output->index, with);
}

// --- Attributes

void Graph::set_attribute(Node& node, Attribute* attribute) {
  mark_changed(node);
  const auto existing = std::ranges::find(node.attributes_, attribute->name, &Attribute::name);
  if (existing != node.attributes_.end()) {
    const Attribute* before = std::exchange(*existing, attribute);
    if (before != attribute) detach_bodies(node, *before, attribute);
  } else {
    std::span<Attribute*> grown = context_->arena.array<Attribute*>(node.attributes_.size() + 1);
    std::copy(node.attributes_.begin(), node.attributes_.end(), grown.begin());
    grown.back() = attribute;
    node.attributes_ = grown;
  }
  for_each_graph_in(*attribute, [&node](Graph& body) { body.owner_ = &node; });
  tell_listeners(*context_, [&](GraphListener& each) { each.attribute_changed(node, attribute->name); });
}

void Graph::remove_attribute(Node& node, std::string_view name) {
  std::vector<Attribute*> kept, gone;
  for (Attribute* each : node.attributes_) (each->name == name ? gone : kept).push_back(each);
  if (gone.empty()) return;
  std::copy(kept.begin(), kept.end(), node.attributes_.begin());
  node.attributes_ = node.attributes_.first(kept.size());
  for (const Attribute* each : gone) detach_bodies(node, *each, nullptr);
  mark_changed(node);
  tell_listeners(*context_, [&](GraphListener& each) { each.attribute_changed(node, name); });
}

// Detaches the bodies of an attribute that `node` loses, except those that `kept`, the attribute that replaces it, has.
void Graph::detach_bodies(Node& node, const Attribute& attribute, const Attribute* kept) {
  for_each_graph_in(attribute, [&](Graph& body) {
    bool stays = body.owner_ != &node;  // another node owns it now
    if (kept) for_each_graph_in(*kept, [&](const Graph& each) { stays |= &each == &body; });
    if (!stays) body.detach();
  });
}

void Graph::detach() {
  for (ValueInfo* output : outputs_) unlink(static_cast<GraphOutput&>(*output));
  for (Node& node : nodes_) erase(node);
}

// --- Nodes

void Graph::erase(Node& node) {
  tell_listeners(*context_, [&node](GraphListener& each) { each.node_erased(node); });
  for (Use& use : node.inputs_) unlink(use);
  for (const Attribute* attribute : node.attributes_) detach_bodies(node, *attribute, nullptr);
  for (Value* output : node.outputs_) {
    if (!output || output->producer_ != &node) continue;  // another node produces it now
    output->producer_ = nullptr;
    mark_infos_stale(*output);
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
  tell_listeners(*context_, [&node](GraphListener& each) { each.node_moved(node); });
}

}  // namespace onnxpress
