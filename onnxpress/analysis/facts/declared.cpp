// Compares declared types with inferred ones.
#include <algorithm>

#include "onnxpress/analysis/facts/fact_engine.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

using ops::Fact;

namespace {

bool contradict(const Fact& declared, const Fact& inferred) {
  if (declared.kind == Fact::Kind::kUnknown || inferred.kind == Fact::Kind::kUnknown) return false;
  if (declared.kind != inferred.kind) return declared.kind != Fact::Kind::kOther && inferred.kind != Fact::Kind::kOther;
  if (declared.inner && inferred.inner) return contradict(*declared.inner, *inferred.inner);
  if (!declared.is_tensor()) return false;
  if (declared.element != ElementType::kUndefined && inferred.element != ElementType::kUndefined &&
      declared.element != inferred.element)
    return true;
  if (!declared.shape || !inferred.shape) return false;
  if (declared.shape->size() != inferred.shape->size()) return true;
  for (std::size_t axis = 0; axis < declared.shape->size(); ++axis) {
    const auto a = (*declared.shape)[axis].size(), b = (*inferred.shape)[axis].size();
    if (a && b && *a != *b) return true;
  }
  return false;
}

}  // namespace

void FactEngine::check_declared(const Graph& graph) {
  const auto check = [this](const ValueInfo& info) {
    const Fact declared = fact_of(info.type);
    Fact inferred = table_.at(info.value->id());
    if (inferred.shape) inferred.shape = ops::resolved(dims_, *inferred.shape);
    if (contradict(declared, inferred))
      contradictions_.push_back({info.value, to_string(declared), to_string(inferred)});
  };
  for (const ValueInfo* info : graph.value_infos()) check(*info);
  for (const ValueInfo* info : graph.outputs()) check(*info);
}

const std::vector<Contradiction>& FactEngine::contradictions() {
  settle();
  if (!checked_) {
    contradictions_.clear();
    for_each_graph(model_.graph(), [this](Graph& graph) { check_declared(graph); });
    broken_rules_.clear();
    warnings_.clear();
    for (const auto& [id, rule] : broken_) (rule.is_warning ? warnings_ : broken_rules_).push_back(rule);
    for (std::vector<BrokenRule>* rules : {&broken_rules_, &warnings_}) {
      std::sort(rules->begin(), rules->end(),
                [](const BrokenRule& a, const BrokenRule& b) { return a.node->id() < b.node->id(); });
    }
    checked_ = true;
  }
  return contradictions_;
}

const std::vector<BrokenRule>& FactEngine::broken_rules() {
  contradictions();
  return broken_rules_;
}

const std::vector<BrokenRule>& FactEngine::warnings() {
  contradictions();
  return warnings_;
}

}  // namespace onnxpress::analysis
