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

  FactEngine(Model& model, FactSettings settings);
  ~FactEngine() override;

  const Fact& of(const Value& value) {
    if (!waiting_.empty()) settle(needed_for(value));
    return table_.at(value.id());
  }
  ops::DimMath& dims() { return dims_; }
  const OpResolver& ops() const { return ops_; }
  const std::vector<Contradiction>& contradictions();
  const std::vector<BrokenRule>& broken_rules();
  const std::vector<std::string>& refused() const { return refused_; }
  bool relies_on_declaration(const Value& value) const { return relied_on_.contains(&value); }
  bool is_left_out(const Value& value) const { return value.id() < left_out_.size() && left_out_[value.id()]; }

  // --- function_calls.cpp
  bool visit_call(const Node& call, const ops::AttributeScope* scope, const Facts::VisitCall& visit);

  // --- update.cpp
  void follow();
  void touch(const Node& node);
  // Infers what was touched, and what depends on it, until nothing changes: all of it, or what stands at this position
  // and before.
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
  // What holds of values inside functions in every call so far, by value id.
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
  // Of one call; nullopt when it cannot be followed.
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
  // Where following nested calls and loops ends: each level may double the visits.
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
  const Function* function_around(const Graph& graph) const;  // null: none
  bool is_in_play(const Node& node) const;                    // part of the main graph, bodies included
  void drop_symbols(const Node& node);

  Model& model_;
  FactSettings settings_;
  OpResolver ops_;
  ops::DimMath dims_;
  FactTable table_;
  std::vector<bool> left_out_;  // by value id: an input of a function that the call does not give
  std::vector<std::string> refused_;
  std::unordered_set<const Value*> relied_on_;
  std::unordered_map<std::uint32_t, BrokenRule> broken_;  // by node id
  std::size_t depth_ = 0;                                 // of bodies and functions around the node being inferred
  std::size_t repeated_ = 0;                              // those of them that may run more than once, or in two places
  std::size_t function_depth_ = 0;                        // those of them that are functions
  std::size_t visits_ = 0, most_visits_ = 0;  // of nodes, once for each round of a loop and each call of a function
  ops::EvaluationMeter folding_{ops::EvaluationBudget::for_folding()};  // what folding took since the last update
  ops::FreshDims fresh_;  // symbols of results outside of loops and functions

  bool gave_up_ = false;  // calls were not followed: nothing is known to hold in every call of a function
  std::vector<const Function*> calling_;           // functions that are being inferred, outermost first
  std::unordered_set<const Function*> recursive_;  // functions that call themselves, which ONNX forbids
  std::vector<Calls*> call_sets_;                  // where calls are joined now, innermost last
  Calls joined_;
  std::size_t visited_calls_ = 0;  // calls that visit_call() is in
  bool visits_calls_ = false;      // it was asked to at least once
  bool published_ = true;          // what the calls agree on is in the table
  std::unordered_map<const Function*, std::vector<std::uint32_t>> function_values_;

  std::vector<Contradiction> contradictions_;
  std::vector<BrokenRule> broken_rules_;
  bool checked_ = false;  // the two lists above are up to date

  // Following changes. Nodes wait in the order of the graph, nodes of bodies before the node that has the body.
  struct Waiting {
    std::uint64_t position;
    const Node* node;
    // Where there was no room for another position, the younger node comes later.
    friend bool operator>(const Waiting& a, const Waiting& b) {
      return a.position != b.position ? a.position > b.position : a.node->id() > b.node->id();
    }
  };
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<std::uint64_t> positions_;  // by node id; 0: none yet
  std::vector<bool> is_waiting_;          // by node id
  std::unordered_set<const Graph*> inferred_bodies_;
  std::unordered_map<const Function*, std::vector<const Node*>> callers_;
  std::unordered_set<const Function*> touched_functions_;
  std::vector<const Node*> inferred_again_;  // by tag of the equations they gave
  bool settling_ = false, numbered_ = false;
  std::unique_ptr<Listening> listening_;  // last: it ends before the rest
};

}  // namespace onnxpress::analysis
