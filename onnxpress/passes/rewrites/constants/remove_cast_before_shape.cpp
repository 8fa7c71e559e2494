// Takes the shape of the operand, which is the same, so that a Cast that nothing else needs can be removed.
//
//   before: s = Shape(Cast(x))   or of Relu, Identity and other ops on single elements of one operand
//   after:  s = Shape(x)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_cast_before_shape(Node& shape, Rewriter& rw) {
  Node* maker = shape.input(0) ? shape.input(0)->producer() : nullptr;
  const ops::Op* op = maker ? rw.op_of(*maker) : nullptr;
  if (!op || !op->has(ops::kElementwise) || maker->input_count() != 1 || maker->output_count() != 1) return false;
  return rw.set_input(shape, 0, maker->input(0));
}

constexpr std::string_view kRemoveCastBeforeShapeRoots[] = {"Shape", "Size"};

}  // namespace

extern const Rewrite remove_cast_before_shape;
const Rewrite remove_cast_before_shape = {
    .name = "remove-cast-before-shape",
    .summary = "takes the shape of the operand of an elementwise op instead of its result",
    .exactness = Exactness::kExact,
    .group = "constants",
    .roots = kRemoveCastBeforeShapeRoots,
    .apply = apply_remove_cast_before_shape};

}  // namespace onnxpress::passes
