// Order, names and scopes of inserted nodes.
#include "onnxpress/weights/chain/insert_chains.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnxpress/ir/constants.h"

namespace onnxpress::weights {

namespace {

class Inserter {
 public:
  Inserter(Model& model, passes::Scopes& scopes)
      : model_(model), scopes_(scopes), order_(model.context().node_count, 0) {
    number_nodes(model.graph());
    for (const Function* function : model.functions) number_nodes(*function->body);
  }

  // Chains of bases come first, in front of all nodes, because other chains read what they compute.
  void insert_all(std::span<PlacedChain> all) {
    std::unordered_set<const Value*> bases;
    for (const PlacedChain& found : all) {
      if (found.chain.base) bases.insert(found.chain.base);
    }
    const std::vector<PlacedChain*> ordered = bases_first(all);
    front_ = model_.graph().nodes().front();
    std::vector<Value*> plain;
    for (const PlacedChain& found : all) {
      if (found.value->initializer() && found.value->graph() == &model_.graph()) plain.push_back(found.value);
    }
    model_.graph().remove_initializers(plain);
    for (PlacedChain* each : ordered) insert_one(*each, each->chain.base || bases.contains(each->value));
  }

 private:
  // The largest first, but each after the one that it reads.
  static std::vector<PlacedChain*> bases_first(std::span<PlacedChain> all) {
    std::vector<PlacedChain*> by_size, ordered, path;
    std::unordered_map<const Value*, PlacedChain*> waiting;
    for (PlacedChain& each : all) {
      by_size.push_back(&each);
      waiting.emplace(each.value, &each);
    }
    std::ranges::stable_sort(by_size, std::greater<>(),
                             [](const PlacedChain* each) { return constant_tensor(*each->value)->expected_bytes(); });
    for (const PlacedChain* each : by_size) {
      for (auto next = waiting.find(each->value); next != waiting.end(); next = waiting.find(path.back()->chain.base)) {
        path.push_back(next->second);
        waiting.erase(next);
      }
      ordered.insert(ordered.end(), path.rbegin(), path.rend());
      path.clear();
    }
    return ordered;
  }

  void number_nodes(const Graph& root) {
    std::uint32_t position = 0;
    for (const Node& node : root.nodes()) order_[node.id()] = position++;
  }

  void insert_one(PlacedChain& found, bool in_front) {
    Value* value = found.value;
    Graph& root = passes::root_of(*value->graph());
    Node* position = in_front ? front_ : first_user(*value, root);
    if (Node* constant = value->producer()) {
      if (constant->graph() == &root) position = constant->next();
      if (constant == front_) front_ = constant->next();
      value->graph()->erase(*constant);
    } else if (value->graph() != &root) {
      value->graph()->remove_initializer(value);
    }
    if (value->graph() != &root) value = moved_to(root, value);
    insert(found.chain, model_, position, value);
    found.result = value;
  }

  // Chains are inserted outside of bodies, so a value of a body is replaced by a new one outside. The new value has the
  // same name if no other value has it.
  Value* moved_to(Graph& root, Value* value) {
    const bool free = scopes_.definitions(value->name()) == 1;
    Value* outside = root.create_value(free ? value->name() : std::string_view());
    value->graph()->replace_operands(value, outside);
    if (!free) scopes_.remove_definition(value->name());
    return outside;
  }

  Node* first_user(const Value& value, const Graph& root) {
    Node* first = nullptr;
    for (const Use* use = value.first_use(); use; use = use->next()) {
      Node& user = passes::outermost(*use->user(), root);
      if (!first || order_[user.id()] < order_[first->id()]) first = &user;
    }
    return first;
  }

  Model& model_;
  passes::Scopes& scopes_;
  Node* front_ = nullptr;             // the first node that was there before
  std::vector<std::uint32_t> order_;  // positions of nodes in the main graph and in functions, by id
};

}  // namespace

void insert_chains(std::span<PlacedChain> chains, Model& model, passes::Scopes& scopes) {
  Inserter(model, scopes).insert_all(chains);
}

}  // namespace onnxpress::weights
