// Makes the shape operand of a Reshape constant, so that the nodes that compute it can be removed.
//
//   before: y = Reshape(x, Concat(Gather(Shape(x), 0), [-1], [768]))
//   after:  y = Reshape(x, [0, -1, 768])
//
// A dim of known size is written as it is; a dim that provably equals the dim of x at the same position is 0 (copied);
// one other dim may be -1. Sizes are assumed to be at least 1, as everywhere in passes: -1 next to an empty dim would
// be ambiguous.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/view_dims.h"

namespace onnxpress::passes {

namespace {

bool apply_fold_reshape_shape(Node& node, Rewriter& rw) {
  Value *x = node.input(0), *shape = node.input(1);
  if (!shape || rw.is_constant(shape)) return false;
  const auto from = rw.shape_of(x), to = rw.shape_of(node.output());
  if (!to || !rw.declares_rank_of(*node.output(), *to)) return false;
  const bool copies = !rw.params(node).flag("allowzero");
  if (const auto dims = view_dims(from, *to, rw, copies)) return rw.set_input(node, 1, rw.integers(*dims));
  const auto dims = copies ? std::nullopt : view_dims(from, *to, rw);  // without allowzero
  return dims && rw.replace(node, rw.reshaped(x, *dims));
}

constexpr std::string_view kFoldReshapeShapeRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite fold_reshape_shape;
const Rewrite fold_reshape_shape = {
    .name = "fold-reshape-shape",
    .summary = "makes the shape of a Reshape constant: sizes, 0 for copied dims, at most one -1",
    .exactness = Exactness::kExact,
    .group = "constants",
    .roots = kFoldReshapeShapeRoots,
    .apply = apply_fold_reshape_shape};

}  // namespace onnxpress::passes
