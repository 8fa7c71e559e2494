// FactEngine: the walk behind Facts. It infers the whole model once, then again whatever a change touches.
// Private to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/constants.h"
#include "onnxpress/analysis/facts/fact_table.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/listener.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::analysis {

class FactEngine : public GraphListener {
 public:
  using Fact = ops::Fact;
  static constexpr std::uint64_t kEverything = ~std::uint64_t{0};

  FactEngine(const Model& model, FactSettings settings);
  ~FactEngine() override;

  const Fact& of(const Value& value) {
    if (!waiting_.empty()) settle(needed_for(value));
    return table_.at(value.id());
  }
  ops::DimMath& dims() { return dims_; }
  const OpResolver& ops() const { return ops_; }
  const std::vector<Contradiction>& contradictions();
  const std::vector<BrokenRule>& broken_rules();
  const std::vector<BrokenRule>& warnings();
  const std::vector<std::string>& refused() const { return refused_; }
  bool relies_on_declaration(const Value& value) const { return relied_on_.contains(&value); }
  ConstantWork& constant_work();
  bool is_left_out(const Value& value) const { return value.id() < left_out_.size() && left_out_[value.id()]; }

  // --- function_calls.cpp
  bool visit_call(const Node& call, const ops::AttributeScope* scope, const Facts::VisitCall& visit);

  // --- update.cpp
  void follow();
  void touch(const Node& node);
  // Infers the touched nodes again, and whatever depends on them, until nothing changes. Stops after the nodes up to
  // position `last`.
  void settle(std::uint64_t last = kEverything);

  void node_created(Node& node) override;
  void node_erased(Node& node) override;
  void node_moved(Node& node) override;
  void operand_replaced(Node& user, std::size_t index, Value* before) override;
  void output_replaced(Graph& graph, std::size_t index, Value* before) override;
  void attribute_changed(Node& node, std::string_view name) override;
  void initializer_changed(Value& value) override;
  void type_changed(Value& value) override;

 private:
  // Facts about values inside functions that hold in every call so far, by value id.
  using Calls = std::map<std::uint32_t, Fact>;

  // --- given.cpp: what is known without inference.
  void declare_inputs(const Graph& graph);
  void add_initializers(const Graph& graph);
  void know_initializer(const Value& value);
  void apply_settings();
  const Value* input_named(std::string_view name);
  void require_shape(const Value& input, const ops::Shape& wanted);

  // --- fact_engine.cpp: nodes, bodies and functions.
  void infer_model();
  void infer_nodes(const Graph& graph, const ops::AttributeScope* scope);
  void infer_node(const Node& node, const ops::AttributeScope* scope);
  void infer_op(const Node& node, const ops::Op& op, std::span<const Fact* const> operands,
                const ops::AttributeScope* scope);
  void infer_function(const Node& node, const Function& function, const ops::AttributeScope* scope);
  // The results of one call; nullopt when it cannot be followed.
  std::optional<std::vector<Fact>> infer_call(const Node& node, const Function& function,
                                              const ops::AttributeScope& inside);
  std::vector<Fact> infer_body(const Graph& body, std::span<const Fact> inputs, const ops::AttributeScope* scope);
  void fold(const Node& node, const ops::Op& op, std::span<const Fact* const> operands,
            const ops::AttributeScope* scope, std::vector<Fact>& results);
  void set(const Value& value, Fact fact);
  void add_declared(const Value& value, Fact& fact);
  void set_unknown(const Node& node);
  Fact as_runtime_knows(const Fact& fact);
  void note_rule(const Node& node, const ops::Inference& inference);

  // --- function_calls.cpp: facts that hold in every call.
  const std::vector<std::uint32_t>& values_of(const Function& function);
  void join_call(const Function& function);
  void join_calls(const Calls& calls, Calls& into);
  void publish_calls();
  void give_up() { gave_up_ |= visited_calls_ == 0; }
  // The limit for following nested calls and loops, because each level may double the visits.
  std::size_t usual_visits() const { return std::size_t{20} * model_.context().node_count + 20'000; }
  void drop_calls(const Function& function);

  // --- declared.cpp
  void check_declared(const Graph& graph);

  // --- update.cpp
  void prepare();
  void number_nodes(const Graph& graph, std::uint64_t& position);
  void place(const Node& node);
  void list_call(const Node& node);
  void drop_bodies(const Node& node);
  std::uint64_t needed_for(const Value& value) const;
  void solve_equations(bool again);
  void infer_again(const Node& node);
  void announce(const Value& value);
  void touch_users(const Value& value);
  void touch_function(const Function& function);
  const Function* function_around(const Graph& graph) const;  // null if there is none
  bool is_in_play(const Node& node) const;                    // part of the main graph, including its bodies
  void drop_symbols(const Node& node);

  const Model& model_;
  FactSettings settings_;
  OpResolver ops_;
  ops::DimMath dims_;
  FactTable table_;
  std::vector<bool> left_out_;  // by value id: a function input that the call omits
  std::vector<std::string> refused_;
  std::unordered_set<const Value*> relied_on_;
  std::unordered_map<std::uint32_t, BrokenRule> broken_;  // by node id, with warnings
  std::size_t depth_ = 0;                                 // of bodies and functions around the node being inferred
  std::size_t repeated_ = 0;                  // how many of these may run more than once, or in several places
  std::size_t function_depth_ = 0;            // how many of these are functions
  std::size_t visits_ = 0, most_visits_ = 0;  // of nodes, counted in each round of a loop and each function call
  ops::EvaluationMeter folding_{ops::EvaluationBudget::for_folding()};  // work done by folding since the last update
  std::optional<ConstantWork> constant_work_;                           // made at the first question
  ops::FreshDims fresh_;  // symbols of results outside of loops and functions

  bool gave_up_ = false;                  // some calls were not followed, so no fact is known to hold in every call
  std::vector<const Function*> calling_;  // functions being inferred, outermost first
  std::unordered_set<const Function*> recursive_;  // functions that call themselves, which ONNX forbids
  std::vector<Calls*> call_sets_;                  // where the facts of calls are joined at present, innermost last
  Calls joined_;
  std::size_t visited_calls_ = 0;  // nesting depth of visit_call()
  bool visits_calls_ = false;      // visit_call() ran at least once
  bool published_ = true;          // the table holds the facts that all calls agree on
  std::unordered_map<const Function*, std::vector<std::uint32_t>> function_values_;

  std::vector<Contradiction> contradictions_;
  std::vector<BrokenRule> broken_rules_, warnings_;
  bool checked_ = false;  // the two lists above are up to date

  // For following changes. Nodes wait in graph order; the nodes of a body come before the node that has the body.
  struct Waiting {
    std::uint64_t position;
    const Node* node;
    // When two nodes have the same position because there was no room between others, the newer one comes later.
    friend bool operator>(const Waiting& a, const Waiting& b) {
      return a.position != b.position ? a.position > b.position : a.node->id() > b.node->id();
    }
  };
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<std::uint64_t> positions_;  // by node id; 0 if it has none yet
  std::vector<bool> is_waiting_;          // by node id
  std::unordered_set<const Graph*> inferred_bodies_;
  std::unordered_map<const Function*, std::vector<const Node*>> callers_;
  std::unordered_set<const Function*> touched_functions_;
  std::vector<const Node*> inferred_again_;  // by the tag of the equations they produced
  bool settling_ = false, numbered_ = false;
  std::unique_ptr<Listening> listening_;  // the last member, so that it is destroyed first
};

}  // namespace onnxpress::analysis
