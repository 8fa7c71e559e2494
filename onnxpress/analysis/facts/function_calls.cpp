// Values inside functions: during inference the table holds the facts of the current call and, at the end, those that
// all calls agree on.
#include "onnxpress/analysis/facts/fact_engine.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

using ops::Fact;

const std::vector<std::uint32_t>& FactEngine::values_of(const Function& function) {
  const auto [at, is_new] = function_values_.try_emplace(&function);
  if (!is_new) return at->second;
  std::vector<std::uint32_t>& values = at->second;
  for_each_graph(*function.body, [&values](Graph& graph) {
    for (const ValueInfo* input : graph.inputs()) values.push_back(input->value->id());
    for (const Value* value : graph.initializers()) values.push_back(value->id());
    for (const Value* value : graph.sparse_initializers()) values.push_back(value->id());
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (output) values.push_back(output->id());
      }
    }
  });
  return values;
}

void FactEngine::join_call(const Function& function) {
  published_ = false;
  Calls& calls = *call_sets_.back();
  for (const std::uint32_t id : values_of(function)) {
    const auto [at, is_new] = calls.try_emplace(id, table_.at(id));
    if (!is_new) at->second = ops::join(at->second, table_.at(id), dims_);
  }
}

void FactEngine::join_calls(const Calls& calls, Calls& into) {
  for (const auto& [id, fact] : calls) {
    const auto [at, is_new] = into.try_emplace(id, fact);
    if (!is_new) at->second = ops::join(at->second, fact, dims_);
  }
}

void FactEngine::publish_calls() {
  if (published_) return;
  published_ = true;
  for (const auto& [id, fact] : joined_) table_.at(id) = gave_up_ ? Fact::unknown() : fact;
}

// Each visit infers the function's body again, including the calls inside it. This work grows with the depth of calls,
// so it has its own limit.
bool FactEngine::visit_call(const Node& call, const ops::AttributeScope* scope, const Facts::VisitCall& visit) {
  const Function* function = ops_.function_of(call);
  if (!function || recursive_.contains(function)) return false;
  if (!visits_calls_) {
    visits_calls_ = true;
    most_visits_ = visits_ + 2 * usual_visits();
  }
  if (visits_ > most_visits_) return false;
  ++visited_calls_;
  const ops::AttributeScope inside{call.attributes(), function->attribute_defaults, scope};
  Calls ignored;  // the facts that all calls agree on are known already
  call_sets_.push_back(&ignored);
  infer_call(call, *function, inside);
  call_sets_.pop_back();
  visit(inside);
  if (--visited_calls_ > 0) return true;
  published_ = false;
  publish_calls();
  return true;
}

void FactEngine::drop_calls(const Function& function) {
  for (const std::uint32_t id : values_of(function)) joined_.erase(id);
}

}  // namespace onnxpress::analysis
