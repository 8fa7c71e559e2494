// Follows changes: changed nodes wait in graph order; settle() infers them, and then the readers of every value whose
// fact changed. Positions only decide the order: a wrong position costs time, not correctness.
#include <algorithm>

#include "onnxpress/analysis/facts/fact_engine.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

using ops::Fact;

namespace {

constexpr std::uint64_t kGap = 1 << 16;  // between the positions of neighbours, leaving room for new nodes
constexpr int kMostRounds =
    8;  // of solving equations; nodes whose equations are still impossible then get unknown results

const Graph& root_of(const Graph& graph) {
  const Graph* root = &graph;
  while (const Graph* parent = root->parent()) root = parent;
  return *root;
}

// The entry for that id. Grows the table if it is too short.
template <typename T>
typename std::vector<T>::reference grown(std::vector<T>& table, std::size_t id) {
  if (id >= table.size()) table.resize(std::max(id + 1, table.size() * 2));
  return table[id];
}

}  // namespace

// --- Positions of nodes

void FactEngine::follow() {
  prepare();
  if (!listening_) listening_ = std::make_unique<Listening>(model_, *this);
}

void FactEngine::prepare() {
  if (numbered_) return;
  numbered_ = true;
  std::uint64_t position = 0;
  number_nodes(model_.graph(), position);
  for_each_node(model_, [this](const Node& node) { list_call(node); });
}

// A node comes after the nodes of its bodies.
void FactEngine::number_nodes(const Graph& graph, std::uint64_t& position) {
  for (const Node& node : graph.nodes()) {
    for (const Attribute* attribute : node.attributes())
      for_each_graph_in(*attribute, [&](Graph& body) { number_nodes(body, position); });
    grown(positions_, node.id()) = position += kGap;
  }
}

// Gives the node a position between its neighbours, if there is room.
void FactEngine::place(const Node& node) {
  const auto position_of = [this](const Node* other) -> std::uint64_t {
    return other && other->id() < positions_.size() ? positions_[other->id()] : 0;
  };
  const std::uint64_t before = position_of(node.previous());
  const std::uint64_t after = position_of(node.next() ? node.next() : node.graph()->owner());
  const std::uint64_t position = after == 0 ? before + kGap : before + (after - std::min(before, after)) / 2;
  grown(positions_, node.id()) = std::max<std::uint64_t>(position, 1);
}

void FactEngine::list_call(const Node& node) {
  if (const Function* function = ops_.function_of(node)) callers_[function].push_back(&node);
}

void FactEngine::drop_bodies(const Node& node) {
  for (const Attribute* attribute : node.attributes()) {
    for_each_graph_in(*attribute, [this](Graph& body) {
      for_each_graph(body, [this](Graph& each) { inferred_bodies_.erase(&each); });
    });
  }
}

const Function* FactEngine::function_around(const Graph& graph) const {
  const Graph& root = root_of(graph);
  if (&root == &model_.graph()) return nullptr;
  for (const Function* function : model_.functions) {
    if (function->body == &root) return function;
  }
  return nullptr;
}

bool FactEngine::is_in_play(const Node& node) const {
  for (const Node* each = &node; each; each = each->graph()->owner()) {
    if (each->erased()) return false;
  }
  return &root_of(*node.graph()) == &model_.graph();
}

// --- Nodes that wait to be inferred

void FactEngine::touch(const Node& node) {
  checked_ = false;
  if (node.erased()) return;
  prepare();
  for (const Value* output : node.outputs()) {
    if (constant_work_ && output) constant_work_->failed.erase(output->id());
  }
  if (const Function* function = function_around(*node.graph())) return touch_function(*function);
  if (!is_in_play(node)) return;  // its graph is not part of the model yet, or is a training graph
  if (grown(is_waiting_, node.id())) return;
  is_waiting_[node.id()] = true;
  if (grown(positions_, node.id()) == 0) place(node);
  waiting_.push({positions_[node.id()], &node});
}

void FactEngine::touch_users(const Value& value) {
  for (const Use* use = value.first_use(); use; use = use->next()) {
    if (use->user()) touch(*use->user());
  }
}

void FactEngine::announce(const Value& value) {
  touch_users(value);
  for (const GraphOutput* output = value.first_output(); output; output = output->next_output) {
    if (const Node* owner = output->graph->owner()) touch(*owner);
  }
}

// What holds in every call is known only after all calls are inferred again.
void FactEngine::touch_function(const Function& function) {
  if (!touched_functions_.insert(&function).second) return;
  drop_calls(function);
  function_values_.erase(&function);
  for_each_graph(*function.body, [this](Graph& graph) {
    for (const Node& node : graph.nodes()) broken_.erase(node.id());
  });
  const auto found = callers_.find(&function);
  if (found == callers_.end()) return;
  for (const Node* caller : std::vector<const Node*>(found->second)) touch(*caller);
}

// --- Inferring them

// The position up to which settle() must run before the fact of `value` is final. For a value in a body, that is the
// position of the outermost node around it.
std::uint64_t FactEngine::needed_for(const Value& value) const {
  const Node* node = value.producer();
  if (const Node* owner = value.graph()->owner()) node = owner;
  while (node && node->graph()->owner()) node = node->graph()->owner();
  if (&root_of(*value.graph()) != &model_.graph()) return kEverything;
  if (!node) return 0;
  return node->id() < positions_.size() && positions_[node->id()] != 0 ? positions_[node->id()] : kEverything;
}

void FactEngine::settle(std::uint64_t last) {
  if (waiting_.empty() || settling_) return;
  settling_ = true;
  most_visits_ = visits_ + usual_visits();
  folding_ = ops::EvaluationMeter(ops::EvaluationBudget::for_folding());
  dims_.hold();
  for (int round = 0; !waiting_.empty() && waiting_.top().position <= last; ++round) {
    while (!waiting_.empty() && waiting_.top().position <= last) {
      const Node& node = *waiting_.top().node;
      waiting_.pop();
      is_waiting_[node.id()] = false;
      if (is_in_play(node)) infer_again(node);
    }
    if (waiting_.empty()) solve_equations(round < kMostRounds);
  }
  publish_calls();
  touched_functions_.clear();
  settling_ = false;
}

// A node whose equation cannot hold is inferred again: with the other equations solved, the contradiction now shows as
// a broken rule.
void FactEngine::solve_equations(bool again) {
  if (!settings_.solve_dims || settings_.as_runtime) return;
  for (const std::uint32_t tag : dims_.release()) {
    if (again) {
      touch(*inferred_again_[tag]);
    } else {
      set_unknown(*inferred_again_[tag]);
    }
  }
  inferred_again_.clear();
  if (!waiting_.empty()) dims_.hold();
}

void FactEngine::infer_again(const Node& node) {
  dims_.set_tag(static_cast<std::uint32_t>(inferred_again_.size()));
  inferred_again_.push_back(&node);
  // A value becomes unknown only once, so this terminates, too.
  if (++visits_ > most_visits_) return set_unknown(node);
  const Function* function = ops_.function_of(node);
  if (function && callers_[function].size() == 1) drop_calls(*function);
  std::size_t around = 0;
  for (const Node* owner = node.graph()->owner(); owner; owner = owner->graph()->owner()) around += !owner->is("If");
  repeated_ = around;
  if (node.graph()->owner()) {
    const ops::DimMath::Scope inside(dims_);
    infer_node(node, nullptr);
  } else {
    infer_node(node, nullptr);
  }
  repeated_ = 0;
}

// Forgets the symbols of the node's results, whose axes may have another meaning now.
void FactEngine::drop_symbols(const Node& node) {
  for (const Value* output : node.outputs()) {
    if (output) fresh_.erase(fresh_.lower_bound({output->id(), 0}), fresh_.lower_bound({output->id() + 1, 0}));
  }
}

// --- Notifications of changes

void FactEngine::node_created(Node& node) {
  place(node);
  list_call(node);
  drop_bodies(node);
  touch(node);
}

void FactEngine::node_erased(Node& node) {
  checked_ = false;
  broken_.erase(node.id());
  drop_symbols(node);
  for (const Value* output : node.outputs()) {
    if (!output) continue;
    table_.at(output->id()) = Fact::unknown();
    announce(*output);
  }
  drop_bodies(node);
}

void FactEngine::node_moved(Node& node) { place(node); }

void FactEngine::operand_replaced(Node& user, std::size_t, Value*) {
  drop_symbols(user);
  touch(user);
}

void FactEngine::output_replaced(Graph& graph, std::size_t, Value*) {
  checked_ = false;
  if (const Node* owner = graph.owner()) {
    touch(*owner);
  } else if (const Function* function = function_around(graph)) {
    touch_function(*function);
  }
}

void FactEngine::attribute_changed(Node& node, std::string_view) {
  drop_bodies(node);
  drop_symbols(node);
  touch(node);
}

void FactEngine::initializer_changed(Value& value) {
  checked_ = false;
  const Fact before = table_.at(value.id());
  know_initializer(value);
  if (!value.initializer() && !value.sparse_initializer() && !value.is_input() && !value.producer())
    table_.at(value.id()) = Fact::unknown();
  if (const Function* function = function_around(*value.graph())) {
    touch_function(*function);
  } else if (!same(before, table_.at(value.id()))) {
    announce(value);
  }
}

void FactEngine::type_changed(Value& value) {
  checked_ = false;
  if (settings_.trust_value_info && value.producer()) touch(*value.producer());
}

}  // namespace onnxpress::analysis
