// Matches nodes: first those that agree in name and structure, then in one of the two, then neighbours of matched
// nodes.
#include "onnxpress/analysis/diff/differences_match.h"

#include <algorithm>
#include <deque>
#include <string_view>
#include <unordered_map>

#include "onnxpress/analysis/diff/differences_hash.h"

namespace onnxpress::analysis {

Matching::Matching(const Model& before, const Model& after)
    : before_ops(before),
      after_ops(after),
      before_hashes(before.context().node_count),
      after_hashes(after.context().node_count),
      node_after_(before.context().node_count),
      node_before_(after.context().node_count),
      value_after_(before.context().value_count),
      value_before_(after.context().value_count) {}

bool Matching::pair(const Node& before, const Node& after) {
  if (node_after_[before.id()] || node_before_[after.id()]) return false;
  node_after_[before.id()] = &after;
  node_before_[after.id()] = &before;
  for (std::size_t i = 0; i < std::min(before.output_count(), after.output_count()); ++i) {
    if (before.output(i) && after.output(i)) pair(*before.output(i), *after.output(i));
  }
  return true;
}

bool Matching::pair(const Value& before, const Value& after) {
  if (value_after_[before.id()] || value_before_[after.id()]) return false;
  value_after_[before.id()] = &after;
  value_before_[after.id()] = &before;
  return true;
}

bool Matching::same(const Value* before, const Value* after) const {
  if (!before || !after) return before == after;
  if (value_after_[before->id()] || value_before_[after->id()]) return value_after_[before->id()] == after;
  return !before->is_defined() && !after->is_defined() && before->name() == after->name();
}

const Tensor* constant_of(const Value& value) {
  if (value.initializer()) return value.constant();
  const Node* producer = value.producer();
  if (!producer || !producer->is("Constant")) return nullptr;
  const Attribute* attribute = producer->attribute("value");
  const auto* tensor = attribute ? std::get_if<Tensor*>(&attribute->value) : nullptr;
  return tensor ? *tensor : nullptr;
}

bool same_op(const Node& a, const Node& b) {
  const bool same_domain = normal_domain(a.domain()) == normal_domain(b.domain());
  return same_domain && a.op_type() == b.op_type() && a.overload() == b.overload();
}

namespace {

// Nodes by name, if the name is unique.
using NameIndex = std::unordered_map<std::string_view, const Node*>;

std::string_view first_output_name(const Node& node) {
  for (const Value* output : node.outputs()) {
    if (output && !output->name().empty()) return output->name();
  }
  return {};
}

template <typename Name>
NameIndex index_of(const Graph& graph, const Name& name) {
  NameIndex index;
  index.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) {
    const std::string_view key = name(node);
    if (key.empty()) continue;
    const auto [at, is_new] = index.emplace(key, &node);
    if (!is_new) at->second = nullptr;
  }
  return index;
}

class GraphMatcher {
 public:
  GraphMatcher(const Graph& before, const Graph& after, Matching& matching)
      : before_(before), after_(after), matching_(matching) {}

  void run() {
    pair_declared();
    hash();
    index_names();
    // A match by name is accepted at once if everything upstream or everything downstream is the same, too.
    pair_named([this](const Node& a, const Node& b) {
      return same_op(a, b) &&
             (hashes(a).upstream == after_hashes(b).upstream || hashes(a).downstream == after_hashes(b).downstream);
    });
    // Nodes with the same upstream and downstream hashes are the same, whatever their names; if there are several, any
    // pairing is as good. When only one of the two hashes agrees, the node has to be the only one.
    const auto both = [](const NodeHashes& h) { return h.upstream ^ (h.downstream * 3); };
    pair_by_hash(both, true);
    const bool trusted = names_are_trusted();
    if (trusted) pair_named(same_op);
    pair_by_hash(both, false);
    pair_by_hash([](const NodeHashes& h) { return h.upstream; }, true);
    pair_by_hash([](const NodeHashes& h) { return h.downstream; }, true);
    spread();
    if (trusted) pair_named([](const Node&, const Node&) { return true; });
    if (!trusted) pair_named(same_op);
    spread();
    pair_replaced();
    pair_constants();
  }

 private:
  void pair_declared();
  void pair_inputs();
  void hash();
  void index_names();
  template <typename Accept>
  void pair_named(const Accept& accept);
  template <typename Key>
  void pair_by_hash(const Key& key, bool only_unique);

  bool names_are_trusted() const;
  const Node* namesake(const Node& node) const;
  void pair_nodes(const Node& a, const Node& b) {
    if (matching_.pair(a, b)) fresh_.push_back(&a);
  }
  void spread();
  void spread_to_users(const Value& a, const Value& b);
  void pair_replaced();
  void pair_constants();

  const NodeHashes& hashes(const Node& before) const { return matching_.before_hashes[before.id()]; }
  const NodeHashes& after_hashes(const Node& after) const { return matching_.after_hashes[after.id()]; }
  bool free(const Node* before) const { return before && before->graph() == &before_ && !matching_.after(*before); }
  bool free_after(const Node* after) const { return after && after->graph() == &after_ && !matching_.before(*after); }

  const Graph& before_;
  const Graph& after_;
  Matching& matching_;
  NameIndex after_names_, after_outputs_, before_names_, before_outputs_;
  std::deque<const Node*> fresh_;  // paired, but their neighbours were not examined yet
  bool inputs_spread_ = false;
};

// Pairs inputs and initializers by name, then the remaining inputs by position.
void GraphMatcher::pair_declared() {
  std::unordered_map<std::string_view, const Value*> named;
  const auto add = [&named](const Value* value) {
    if (value && !value->name().empty()) named.emplace(value->name(), value);
  };
  for (const ValueInfo* input : after_.inputs()) add(input->value);
  for (const Value* value : after_.initializers()) add(value);
  for (const Value* value : after_.sparse_initializers()) add(value);
  const auto find = [&](const Value* value) {
    const auto at = value ? named.find(value->name()) : named.end();
    if (at != named.end()) matching_.pair(*value, *at->second);
  };
  for (const ValueInfo* input : before_.inputs()) find(input->value);
  for (const Value* value : before_.initializers()) find(value);
  for (const Value* value : before_.sparse_initializers()) find(value);
  pair_inputs();
}

void GraphMatcher::pair_inputs() {
  for (std::size_t i = 0; i < std::min(before_.inputs().size(), after_.inputs().size()); ++i) {
    const Value* a = before_.inputs()[i]->value;
    const Value* b = after_.inputs()[i]->value;
    if (a && b && same_type(before_.inputs()[i]->type, after_.inputs()[i]->type)) matching_.pair(*a, *b);
  }
}

void GraphMatcher::hash() {
  const auto token = [this](const Value& a) -> std::uint64_t {
    return matching_.after(a) ? a.id() : hash_text(a.name());
  };
  const auto after_token = [this](const Value& b) -> std::uint64_t {
    const Value* a = matching_.before(b);
    return a ? a->id() : hash_text(b.name());
  };
  hash_nodes(before_, matching_.before_ops, token, matching_.before_hashes);
  hash_nodes(after_, matching_.after_ops, after_token, matching_.after_hashes);
}

void GraphMatcher::index_names() {
  const auto name = [](const Node& node) { return node.name(); };
  before_names_ = index_of(before_, name);
  after_names_ = index_of(after_, name);
  before_outputs_ = index_of(before_, first_output_name);
  after_outputs_ = index_of(after_, first_output_name);
}

// The node of the new model with the same name or, failing that, with the same name for its first output.
const Node* GraphMatcher::namesake(const Node& node) const {
  const auto look_up = [&node](std::string_view name, const NameIndex& own, const NameIndex& other) -> const Node* {
    const auto mine = own.find(name);
    if (mine == own.end() || mine->second != &node) return nullptr;
    const auto at = other.find(name);
    return at == other.end() ? nullptr : at->second;
  };
  const Node* by_name = look_up(node.name(), before_names_, after_names_);
  return by_name ? by_name : look_up(first_output_name(node), before_outputs_, after_outputs_);
}

template <typename Accept>
void GraphMatcher::pair_named(const Accept& accept) {
  for (const Node& node : before_.nodes()) {
    if (!free(&node)) continue;
    const Node* other = namesake(node);
    if (free_after(other) && accept(node, *other)) pair_nodes(node, *other);
  }
}

template <typename Key>
void GraphMatcher::pair_by_hash(const Key& key, bool only_unique) {
  struct Group {
    std::vector<const Node*> before, after;
  };
  std::unordered_map<std::uint64_t, Group> groups;
  for (const Node& node : before_.nodes()) {
    if (free(&node)) groups[key(hashes(node))].before.push_back(&node);
  }
  for (const Node& node : after_.nodes()) {
    if (!free_after(&node)) continue;
    const auto at = groups.find(key(after_hashes(node)));
    if (at != groups.end()) at->second.after.push_back(&node);
  }
  for (const auto& [hash, group] : groups) {
    if (only_unique && (group.before.size() != 1 || group.after.size() != 1)) continue;
    for (std::size_t i = 0; i < std::min(group.before.size(), group.after.size()); ++i) {
      if (same_op(*group.before[i], *group.after[i])) pair_nodes(*group.before[i], *group.after[i]);
    }
  }
}

// Exporters number their nodes: one more node at the top shifts every name below it. Then most nodes read from nodes
// with other names than their namesakes do.
bool GraphMatcher::names_are_trusted() const {
  std::size_t agree = 0, contradict = 0;
  for (const Node& node : before_.nodes()) {
    const Node* other = namesake(node);
    if (!other || !same_op(node, *other)) continue;
    for (std::size_t i = 0; i < std::min(node.input_count(), other->input_count()); ++i) {
      const Node* mine = node.input(i) ? node.input(i)->producer() : nullptr;
      const Node* theirs = other->input(i) ? other->input(i)->producer() : nullptr;
      if (!mine || !theirs || mine->graph() != &before_ || constant_of(*node.input(i))) continue;
      ++(namesake(*mine) == theirs ? agree : contradict);
    }
  }
  return contradict <= agree;
}

// Extends the matching from partners to the nodes they read from and to the nodes that read them.
void GraphMatcher::spread() {
  if (!inputs_spread_) {
    for (const ValueInfo* input : before_.inputs()) {
      const Value* partner = input->value ? matching_.after(*input->value) : nullptr;
      if (partner) spread_to_users(*input->value, *partner);
    }
    inputs_spread_ = true;
  }
  while (!fresh_.empty()) {
    const Node& a = *fresh_.front();
    const Node& b = *matching_.after(a);
    fresh_.pop_front();
    for (std::size_t i = 0; i < std::min(a.input_count(), b.input_count()); ++i) {
      const Value *x = a.input(i), *y = b.input(i);
      if (!x || !y || x->output_index() != y->output_index()) continue;
      if (free(x->producer()) && free_after(y->producer()) && same_op(*x->producer(), *y->producer())) {
        pair_nodes(*x->producer(), *y->producer());
      }
    }
    for (std::size_t i = 0; i < std::min(a.output_count(), b.output_count()); ++i) {
      if (a.output(i) && b.output(i)) spread_to_users(*a.output(i), *b.output(i));
    }
  }
}

// Pairs users if each is the only one with its op that reads the value in that operand slot.
void GraphMatcher::spread_to_users(const Value& a, const Value& b) {
  struct Users {
    const Node *before = nullptr, *after = nullptr;
    bool several = false;
  };
  std::unordered_map<std::uint64_t, Users> users;
  const auto collect = [&](const Value& value, bool is_after) {
    for (const Use* use = value.first_use(); use; use = use->next()) {
      const Node* user = use->user();
      if (is_after ? !free_after(user) : !free(user)) continue;
      const std::uint64_t slot = use->index();
      Users& group = users[hash_text(user->op_type()) + slot];
      const Node*& place = is_after ? group.after : group.before;
      group.several |= place != nullptr;
      place = user;
    }
  };
  collect(a, false);
  if (users.empty()) return;
  collect(b, true);
  for (const auto& [key, group] : users) {
    if (!group.several && group.before && group.after && same_op(*group.before, *group.after))
      pair_nodes(*group.before, *group.after);
  }
}

// Pairs a node with the one that replaced it (Relu by Gelu): both read the same value, and partners read them in the
// same slot.
void GraphMatcher::pair_replaced() {
  for (const Node& node : before_.nodes()) {
    if (!free(&node) || !node.output() || !node.input(0)) continue;
    for (const Use* use = node.output()->first_use(); use; use = use->next()) {
      const Node* user = use->user();
      const Node* partner = user->graph() == &before_ ? matching_.after(*user) : nullptr;
      const std::size_t slot = use->index();
      const Value* other = partner ? partner->input(slot) : nullptr;
      if (!other || !free_after(other->producer()) || other->output_index() != 0) continue;
      if (!matching_.same(node.input(0), other->producer()->input(0))) continue;
      pair_nodes(node, *other->producer());
      break;
    }
  }
}

// Pairs constants that have no partner by name: those that partners read in the same slot.
void GraphMatcher::pair_constants() {
  for (const Node& node : before_.nodes()) {
    const Node* partner = matching_.after(node);
    for (std::size_t i = 0; partner && i < std::min(node.input_count(), partner->input_count()); ++i) {
      const Value *a = node.input(i), *b = partner->input(i);
      if (!a || !b || matching_.after(*a) || matching_.before(*b)) continue;
      const Tensor *x = constant_of(*a), *y = constant_of(*b);
      if (!x || !y || x->dims.size() != y->dims.size()) continue;
      if (free(a->producer()) && free_after(b->producer())) {
        pair_nodes(*a->producer(), *b->producer());
      } else {
        matching_.pair(*a, *b);
      }
    }
  }
}

}  // namespace

void match_graphs(const Graph& before, const Graph& after, Matching& matching) {
  GraphMatcher(before, after, matching).run();
}

}  // namespace onnxpress::analysis
