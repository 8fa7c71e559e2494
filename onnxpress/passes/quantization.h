// What QuantizeLinear and DequantizeLinear do, if it is known: the grid of numbers that they round to.
#pragma once

#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Of 8 bits, with constant positive scales: one for the whole tensor, or one for each place along an axis.
struct QuantizationGrid {
  ElementType type = ElementType::kUndefined;  // of the quantized values
  ops::Array scale;
  std::optional<ops::Array> zero;   // absent: zero
  std::optional<std::size_t> axis;  // absent: one for the whole tensor

  bool operator==(const QuantizationGrid& other) const;
};

// nullopt for a node that is neither, whose numbers are not known, or that works in blocks or in other types.
std::optional<QuantizationGrid> grid_of(const Node& node, const Rewriter& rw);

// The ops that move elements, or leave some out, and compute nothing. All take integers.
inline constexpr std::string_view kMovingOps[] = {"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Slice"};

}  // namespace onnxpress::passes
