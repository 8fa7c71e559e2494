// One function per weight layout. Attributes are read from the node, because weights are classified before anything is
// inferred.
#include "onnxpress/ops/core/weight_axes.h"

#include <algorithm>

#include "onnxpress/ir/node.h"

namespace onnxpress::ops {

WeightAxes conv_axes(const Node& /*node*/, std::size_t /*operand*/, std::size_t rank) {
  return rank > 2 ? WeightAxes{0, 1, 1, rank} : WeightAxes{};
}

WeightAxes conv_transpose_axes(const Node& /*node*/, std::size_t /*operand*/, std::size_t rank) {
  return rank > 2 ? WeightAxes{1, 2, 0, 1} : WeightAxes{};
}

WeightAxes gemm_axes(const Node& node, std::size_t operand, std::size_t rank) {
  if (rank != 2) return {};
  const bool transposed = attribute_or<std::int64_t>(node, operand == 0 ? "transA" : "transB", 0) != 0;
  const bool rows_are_channels = (operand == 0) != transposed;
  return rows_are_channels ? WeightAxes{0, 1, 1, 2} : WeightAxes{1, 2, 0, 1};
}

WeightAxes matmul_axes(const Node& /*node*/, std::size_t operand, std::size_t rank) {
  if (rank < 2) return {};
  return operand == 0 ? WeightAxes{rank - 2, rank - 1, rank - 1, rank} : WeightAxes{rank - 1, rank, rank - 2, rank - 1};
}

WeightAxes table_axes(const Node& node, std::size_t /*operand*/, std::size_t rank) {
  std::int64_t axis = attribute_or<std::int64_t>(node, "axis", 0);
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(axis, 0));
  return at < rank ? WeightAxes{at, at + 1, at + 1, rank} : WeightAxes{};
}

WeightAxes recurrent_axes(const Node& /*node*/, std::size_t /*operand*/, std::size_t rank) {
  return rank == 3 ? WeightAxes{0, 2, 2, 3} : WeightAxes{};
}

}  // namespace onnxpress::ops
