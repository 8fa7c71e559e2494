// Quantizes data before it is moved: a quarter of the bytes, and the QuantizeLinear is where runtimes look for it,
// right after the layer that computes.
//
//   before: y = QuantizeLinear(Reshape(x, shape), s, z)      or of Transpose, Squeeze, Unsqueeze, Flatten
//   after:  y = Reshape(QuantizeLinear(x, s, z), shape)
//
// The tensor has one scale. Nothing else may read the moved value. A Slice stays before it, because it leaves less to
// quantize.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/copy_with.h"
#include "onnxpress/passes/shared/quantization.h"

namespace onnxpress::passes {

namespace {

bool apply_move_quantization(Node& quantize, Rewriter& rw) {
  Node* move = quantize.input(0) ? quantize.input(0)->producer() : nullptr;
  if (!move || move->is("Slice") || std::ranges::find(kMovingOps, move->op_type()) == std::end(kMovingOps))
    return false;
  if (!rw.sole_producer(quantize.input(0), move->op_type()) || move->graph() != quantize.graph()) return false;
  const auto grid = grid_of(quantize, rw);
  if (!grid || grid->axis) return false;
  rw.insert_before(*move);
  Value* const numbers[] = {move->input(0), quantize.input(1), quantize.input(2)};
  const Node* first = rw.make_node("QuantizeLinear", numbers, {}, 1);  // never folded
  if (!first) return false;
  std::vector<Value*> operands;
  for (const Use& use : move->inputs()) operands.push_back(use.value());
  operands.front() = first->output();
  return rw.replace(quantize, copy_with(*move, operands)->output());
}

constexpr std::string_view kMoveQuantizationRoots[] = {"QuantizeLinear"};

}  // namespace

extern const Rewrite move_quantization;
const Rewrite move_quantization = {.name = "move-quantization",
                                   .summary = "quantizes data before it is moved, not after",
                                   .exactness = Exactness::kExact,
                                   .group = "moving_data",
                                   .roots = kMoveQuantizationRoots,
                                   .apply = apply_move_quantization};

}  // namespace onnxpress::passes
