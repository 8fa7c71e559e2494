// What each change of a graph brings back into the worklist.
#include "onnxpress/passes/worklist.h"

#include <algorithm>
#include <utility>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::passes {

Worklist::Worklist(Model& model) : listed_(model.context().node_count, false), listening_(model, *this) {
  add_all(model);
}

void Worklist::add_all(Model& model) {
  for_each_node(model, [this](Node& node) { push(&node); });
}

Node* Worklist::take() {
  while (!nodes_.empty()) {
    Node* node = nodes_.front();
    nodes_.pop_front();
    listed_[node->id()] = false;
    if (!node->erased()) return node;
  }
  return nullptr;
}

void Worklist::forget_since(std::size_t size, std::uint32_t first_new_node) {
  for (std::size_t i = nodes_.size(); i > size; --i) {  // backwards: a later node may be the only user of others
    Node* node = nodes_[i - 1];
    if (node->id() >= first_new_node && !node->erased() && node->used_outputs() == 0) node->graph()->erase(*node);
  }
  std::vector<Node*> kept;
  for (; nodes_.size() > size; nodes_.pop_back()) {
    Node* node = nodes_.back();
    listed_[node->id()] = false;
    if (node->id() >= first_new_node && !node->erased()) kept.push_back(node);
  }
  for (auto node = kept.rbegin(); node != kept.rend(); ++node) push(*node);
}

std::vector<Value*> Worklist::take_left_constants() {
  std::vector<Value*> values = std::exchange(left_, {});
  std::ranges::sort(values, {}, &Value::id);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void Worklist::push(Node* node) {
  if (!node || node->erased()) return;
  if (node->id() >= listed_.size()) listed_.resize(node->id() + 1, false);
  if (listed_[node->id()]) return;
  listed_[node->id()] = true;
  nodes_.push_back(node);
}

void Worklist::push_producer(Value* value) {
  if (value) push(value->producer());
}

void Worklist::push_users(const Value& value) {
  for (const Use* use = value.first_use(); use; use = use->next()) push(use->user());
}

void Worklist::push_owners(const Graph& graph) {
  for (Node* owner = graph.owner(); owner && owner->graph(); owner = owner->graph()->owner()) push(owner);
}

void Worklist::push_around(Node& node) {
  push(&node);
  push_owners(*node.graph());
  for (const Value* output : node.outputs()) {
    if (output) push_users(*output);
  }
}

void Worklist::lost_user(Value* value, const Node* leaving) {
  if (!value) return;
  push_producer(value);
  // If only one user is left, rewrites that need a sole user may apply now; `leaving` may still be in the use list,
  // even more than once. If a constant now belongs to one layer only, nodes after that layer may be folded into it.
  const bool is_constant = constant_tensor(*value) != nullptr;
  std::size_t others = 0;
  for (const Use* use = value->first_use(); use && others < 2; use = use->next()) {
    Node* user = use->user();
    if (user == leaving) continue;
    push(user);
    if (is_constant && user && !user->erased()) push_around(*user);
    ++others;
  }
  if (is_constant) left_.push_back(value);
}

void Worklist::node_created(Node& node) {
  ++changes_;
  push_around(node);
}

void Worklist::node_erased(Node& node) {
  ++changes_;
  for (const Use& use : node.inputs()) lost_user(use.value(), &node);
}

void Worklist::operand_replaced(Node& user, std::size_t index, Value* before) {
  ++changes_;
  push_around(user);
  push_producer(user.input(index));
  lost_user(before, nullptr);
}

void Worklist::output_replaced(Graph& graph, std::size_t index, Value* before) {
  ++changes_;
  push_owners(graph);
  push_producer(graph.outputs()[index]->value);
  lost_user(before, nullptr);
}

void Worklist::attribute_changed(Node& node, std::string_view /*name*/) {
  ++changes_;
  push_around(node);
}

void Worklist::initializer_changed(Value& value) {
  ++changes_;
  push_users(value);
}

}  // namespace onnxpress::passes
