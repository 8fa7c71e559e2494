// Which axes of a weight are output channels, for the `weights` column of the op rows.
#pragma once

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

WeightAxes conv_axes(const Node& node, std::size_t operand, std::size_t rank);            // [outputs, inputs, ...]
WeightAxes conv_transpose_axes(const Node& node, std::size_t operand, std::size_t rank);  // [inputs, outputs, ...]
WeightAxes gemm_axes(const Node& node, std::size_t operand, std::size_t rank);
WeightAxes matmul_axes(const Node& node, std::size_t operand, std::size_t rank);
WeightAxes table_axes(const Node& node, std::size_t operand, std::size_t rank);      // one row per index
WeightAxes recurrent_axes(const Node& node, std::size_t operand, std::size_t rank);  // [directions, gates, inputs]

}  // namespace onnxpress::ops
