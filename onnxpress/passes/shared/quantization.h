// What QuantizeLinear and DequantizeLinear do, if it is known: the grid of numbers that they round to.
#pragma once

#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// 8 bits, with constant positive scales: one for the whole tensor, or one for each index of an axis.
struct QuantizationGrid {
  ElementType type = ElementType::kUndefined;  // of the quantized values
  ops::Array scale;
  std::optional<ops::Array> zero;   // absent: zero
  std::optional<std::size_t> axis;  // absent: one for the whole tensor

  bool operator==(const QuantizationGrid& other) const;
};

// nullopt for a node that is neither of the two, that works in blocks or in other types, or whose numbers are not
// known.
std::optional<QuantizationGrid> grid_of(const Node& node, const Rewriter& rw);

// Ops that only move or drop elements and compute nothing. All of them accept integers.
inline constexpr std::string_view kMovingOps[] = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Slice"};

}  // namespace onnxpress::passes
