// Cost: the work of one node as expressions of the model's dims: what the `cost` column of an op row fills in, and the
// rules that many rows share.
#pragma once

#include <cstdint>
#include <span>

#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// Numbers are unknown where a size they need is unknown.
struct Cost {
  Dim macs = Dim::size(0);   // multiply-adds: products that are summed. Adding a bias does not count
  Dim flops = Dim::size(0);  // other operations on elements, by the table in docs/commands/profile.md
  Dim read = Dim::size(0);   // elements of operand 0 that are read, if it is not all of them (Gather)
  bool reads_part = false;   // `read` is set
  bool is_view = false;      // the result is the operand with another shape: nothing is read or written
  bool is_estimate = false;  // depends on the algorithm (DFT) or on the data (trees, NonMaxSuppression)
};

// The node, its operands and its results, from which a cost rule computes `cost`.
class CostQuery {
 public:
  CostQuery(Inference& given, std::span<const Fact* const> facts_of_results)
      : in(given), dims(given.dims), results_(facts_of_results) {}

  Inference& in;  // parameters and operands
  DimMath& dims;
  Cost cost;

  // The number of elements; unknown when the shape is not known.
  Dim elements(const Fact& fact) const;
  Dim operand_elements(std::size_t i) const { return elements(in.operand(i)); }
  Dim result_elements(std::size_t i = 0) const;
  // The shape of result i; null when its rank is not known.
  const Shape* result_shape(std::size_t i = 0) const;
  Dim product(Dim a, Dim b) const { return dims.mul(a, b); }

 private:
  std::span<const Fact* const> results_;  // null for unused results
};

// Rules for the `cost` column.
void cost_nothing(CostQuery& query);     // for ops that move, create or describe data
void cost_view(CostQuery& query);        // passes on its operand
void cost_per_result(CostQuery& query);  // one operation for each element of result 0
// N operations for each element of result 0, or of operand 0.
template <std::int64_t kOperations>
void cost_times_result(CostQuery& query) {
  query.cost.flops = query.product(Dim::size(kOperations), query.result_elements());
}
template <std::int64_t kOperations>
void cost_times_operand(CostQuery& query) {
  query.cost.flops = query.product(Dim::size(kOperations), query.operand_elements(0));
}
void cost_reduction(CostQuery& query);  // n - 1 operations for n elements that become one
void cost_gather(CostQuery& query);     // reads as many elements as it writes

// Computes the cost of a node of a known op, by the column of its row or by its traits. False when it has neither.
bool cost_of(const Op& op, CostQuery& query);

}  // namespace onnxpress::ops
