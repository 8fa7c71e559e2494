// Moves data before it is dequantized: a quarter of the bytes, and the DequantizeLinear is where runtimes look for it,
// right before the layer that computes.
//
//   before: y = Reshape(DequantizeLinear(q, s, z), shape)      or of Transpose, Squeeze, Unsqueeze, Flatten, Slice
//   after:  y = DequantizeLinear(Reshape(q, shape), s, z)
//
// The tensor has one scale; for a Transpose, also one per element of an axis, which is renumbered. Nothing else may
// read the dequantized value.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/copy_with.h"
#include "onnxpress/passes/shared/permutation.h"
#include "onnxpress/passes/shared/quantization.h"

namespace onnxpress::passes {

namespace {

bool apply_move_dequantization(Node& move, Rewriter& rw) {
  Node* dequantize = rw.sole_producer(move.input(0), "DequantizeLinear");
  const auto grid = dequantize ? grid_of(*dequantize, rw) : std::nullopt;
  if (!grid || move.output_count() != 1) return false;
  std::vector<Parameter> parameters;
  if (grid->axis) {
    const auto perm = move.is("Transpose") ? perm_of(move, rw) : std::nullopt;
    if (!perm) return false;
    const auto at = std::ranges::find(*perm, static_cast<std::int64_t>(*grid->axis));
    if (at == perm->end()) return false;
    parameters.emplace_back("axis", at - perm->begin());
  }
  std::vector<Value*> operands;
  for (const Use& use : move.inputs()) operands.push_back(use.value());
  operands.front() = dequantize->input(0);
  Value* const numbers[] = {copy_with(move, operands)->output(), dequantize->input(1), dequantize->input(2)};
  const Node* last = rw.make_node("DequantizeLinear", numbers, parameters, 1);  // never folded
  return last && rw.replace(move, last->output());
}

}  // namespace

extern const Rewrite move_dequantization;
const Rewrite move_dequantization = {.name = "move-dequantization",
                                     .summary = "moves data before it is dequantized, not after",
                                     .exactness = Exactness::kExact,
                                     .group = "moving_data",
                                     .roots = kMovingOps,
                                     .apply = apply_move_dequantization};

}  // namespace onnxpress::passes
