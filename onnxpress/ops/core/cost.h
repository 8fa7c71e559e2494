// Cost: the work of one node as expressions of the model's dims: what the `cost` column of an op row fills in, and the
// rules that many rows share.
#pragma once

#include <cstdint>
#include <span>

#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// Unknown where a size that it needs is unknown.
struct Cost {
  Dim macs = Dim::size(0);   // multiply-adds: products that are summed up. Adding a bias is none
  Dim flops = Dim::size(0);  // other operations on elements, by the table in docs/profile.md
  Dim read = Dim::size(0);   // elements of operand 0 that are looked at, where it is not all of them (Gather)
  bool reads_part = false;   // `read` says something
  bool is_view = false;      // the result is the operand under another shape: nothing is read or written
  bool is_estimate = false;  // depends on the algorithm (DFT) or on the data (trees, NonMaxSuppression)
};

// One node's question "how much work are you?".
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
  // The shape of result i when its rank is known, else null.
  const Shape* result_shape(std::size_t i = 0) const;
  Dim product(Dim a, Dim b) const { return dims.mul(a, b); }

 private:
  std::span<const Fact* const> results_;  // null: not wanted
};

// Rules for the `cost` column.
void cost_nothing(CostQuery& query);     // moves, makes or describes data
void cost_view(CostQuery& query);        // hands on its operand
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

// The cost of a node of a known op: its row's column, or what its traits say. False when neither says anything.
bool cost_of(const Op& op, CostQuery& query);

}  // namespace onnxpress::ops
