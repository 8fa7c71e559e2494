// Evaluator: runs a graph, node by node, with the `evaluate` rows of ops/. An oracle for tests and for folding
// constants, not a runtime for production.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/call.h"

namespace onnxpress::analysis {

class Evaluator {
 public:
  // Without a budget, uses budget_for(): one that fits the size of the model's weights and of the inputs.
  explicit Evaluator(const Model& model, std::optional<ops::EvaluationBudget> budget = std::nullopt);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  using Inputs = std::unordered_map<std::string_view, ops::Datum>;  // by name

  // Runs the main graph; nullopt when it cannot, and why() says where and why. Inputs that have an initializer may be
  // left out.
  std::optional<std::vector<ops::Datum>> run(const Inputs& inputs);
  const std::string& why() const { return why_; }
  // Which part of the budget the last run exceeded, if that is why it failed.
  std::optional<ops::OverBudget::Kind> over_budget() const { return over_budget_; }
  // The memory and steps that the last run used.
  const ops::EvaluationMeter& meter() const { return meter_; }

  // Called with each value of the main graph (not of bodies) as soon as it is computed.
  std::function<void(const Value&, const ops::Datum&)> observe;
  // Called before each node of the main graph, for progress.
  std::function<void(const Node&)> before_node;

 private:
  struct Plan;  // of a graph: which values are dropped after which node
  using Results = std::vector<ops::Datum>;

  bool run_main(const Inputs& inputs, Results& results);
  bool run_graph(const Graph& graph, std::span<const ops::Datum> inputs, const ops::AttributeScope* scope,
                 Results& results);
  bool run_node(const Node& node, const ops::AttributeScope* scope);
  bool run_function(const Node& node, const Function& function, const ops::AttributeScope* scope);
  bool run_op(const Node& node, const ops::Op& op, const ops::AttributeScope* scope);
  // The current value; initializers are read when they are first needed. Null when there is none.
  const ops::Datum* datum(const Value& value);
  const Plan& plan_of(const Graph& graph);
  bool fail(const Node& node, const std::string& why);

  const Model& model_;
  std::optional<ops::EvaluationBudget> budget_;
  ops::EvaluationMeter meter_;
  std::optional<ops::OverBudget::Kind> over_budget_;
  OpResolver ops_;
  std::vector<ops::Datum> data_;  // by value id
  std::vector<bool> present_;     // by value id: an empty optional is present, too
  std::unordered_map<const Graph*, std::unique_ptr<Plan>> plans_;
  std::size_t depth_ = 0;
  std::string why_;
};

// The budget for a run of this model with these inputs: EvaluationBudget::for_size of their bytes.
ops::EvaluationBudget budget_for(const Model& model, const Evaluator::Inputs& inputs);

// Evaluates one node whose operands are known (null: omitted); nullopt when it cannot. Not for ops with bodies. The
// work is charged to `meter`; callers that evaluate many nodes use one meter for all of them.
std::optional<std::vector<ops::Datum>> evaluate_node(const Node& node, const ops::Op& op,
                                                     std::span<const ops::Datum* const> operands,
                                                     const ops::AttributeScope* scope, ops::EvaluationMeter& meter);
// The same with the default budget, for trusted nodes.
std::optional<std::vector<ops::Datum>> evaluate_node(const Node& node, const ops::Op& op,
                                                     std::span<const ops::Datum* const> operands,
                                                     const ops::AttributeScope* scope = nullptr);

}  // namespace onnxpress::analysis
