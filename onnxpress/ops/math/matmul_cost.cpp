// Every element of a product is a sum of K products.
#include "onnxpress/ops/math/matmul_cost.h"

namespace onnxpress::ops {

namespace {

// Sets the MACs of a product that sums over this axis of operand 0.
void sum_over(CostQuery& query, std::size_t axis) {
  const Shape* a = query.in.shape(0);
  query.cost.macs = a && axis < a->size() ? query.product(query.result_elements(), (*a)[axis]) : Dim();
}

// n * n * n / divisor for each n x n matrix of operand 0.
Dim matrix_work(CostQuery& query, std::int64_t divisor) {
  const Shape* x = query.in.shape(0);
  if (!x || x->empty()) return {};
  return query.dims.floor_div(query.product(query.operand_elements(0), x->back()), Dim::size(divisor));
}

}  // namespace

void cost_matmul(CostQuery& query) {
  const Shape* a = query.in.shape(0);
  if (!a || a->empty()) {
    query.cost.macs = Dim();
    return;
  }
  const bool turned = a->size() > 1 && query.in.params.flag("transA");  // FusedMatMul
  sum_over(query, turned ? a->size() - 2 : a->size() - 1);
}

void cost_gemm(CostQuery& query) { sum_over(query, query.in.params.flag("transA") ? 0 : 1); }

void cost_matmul_nbits(CostQuery& query) {
  const std::int64_t depth = query.in.params.integer_or("K", -1);
  query.cost.macs = depth >= 0 && Dim::fits(depth) ? query.product(query.result_elements(), Dim::size(depth)) : Dim();
}

void cost_det(CostQuery& query) {
  query.cost.macs = matrix_work(query, 3);
  query.cost.is_estimate = true;
}

void cost_inverse(CostQuery& query) {
  query.cost.macs = matrix_work(query, 1);
  query.cost.is_estimate = true;
}

}  // namespace onnxpress::ops
