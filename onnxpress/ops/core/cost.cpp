// The shared cost rules, and the choice between a row's own rule and its traits.
#include "onnxpress/ops/core/cost.h"

namespace onnxpress::ops {

Dim CostQuery::elements(const Fact& fact) const {
  if (!fact.is_tensor() || !fact.shape) return {};
  Dim count = Dim::size(1);
  for (const Dim dim : *fact.shape) count = dims.mul(count, dims.resolve(dim));
  return count;
}

Dim CostQuery::result_elements(std::size_t i) const {
  return i < results_.size() && results_[i] ? elements(*results_[i]) : Dim();
}

const Shape* CostQuery::result_shape(std::size_t i) const {
  return i < results_.size() && results_[i] && results_[i]->shape ? &*results_[i]->shape : nullptr;
}

void cost_nothing(CostQuery& /*query*/) {}

void cost_view(CostQuery& query) { query.cost.is_view = true; }

void cost_per_result(CostQuery& query) { query.cost.flops = query.result_elements(); }

void cost_reduction(CostQuery& query) {
  query.cost.flops = query.dims.sub(query.operand_elements(0), query.result_elements());
}

void cost_gather(CostQuery& query) {
  query.cost.reads_part = true;
  query.cost.read = query.result_elements();
}

bool cost_of(const Op& op, CostQuery& query) {
  if (!op.def) return false;
  if (op.def->cost) {
    op.def->cost(query);
    return true;
  }
  if (op.has(kElementwise)) {
    cost_per_result(query);
    return true;
  }
  return op.has(kMovesData) || op.has(kReadsOnlyShape);
}

}  // namespace onnxpress::ops
