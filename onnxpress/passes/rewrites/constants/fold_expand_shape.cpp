// Makes the shape operand of an Expand constant.
//
//   before: y = Expand(x, Concat(Gather(Shape(x), 0), [12, 64]))   with x of [N, 1, 64]
//   after:  y = Expand(x, [1, 12, 64])
//
// A dim of x that is not repeated is 1 in the shape: Expand broadcasts both ways.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_fold_expand_shape(Node& node, Rewriter& rw) {
  Value *x = node.input(0), *shape = node.input(1);
  if (!shape || rw.is_constant(shape)) return false;
  const auto from = rw.shape_of(x), to = rw.shape_of(node.output());
  if (!from || !to || from->size() > to->size()) return false;
  const std::size_t more = to->size() - from->size();
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < to->size(); ++i) {
    const auto size = (*to)[i].size();
    const bool kept = i >= more && rw.dims().equal((*from)[i - more], (*to)[i]);
    if (!kept && !size) return false;
    dims.push_back(kept ? 1 : *size);
  }
  return rw.set_input(node, 1, rw.integers(dims));
}

constexpr std::string_view kFoldExpandShapeRoots[] = {"Expand"};

}  // namespace

extern const Rewrite fold_expand_shape;
const Rewrite fold_expand_shape = {.name = "fold-expand-shape",
                                   .summary = "makes the shape of an Expand constant: 1 for dims that stay",
                                   .exactness = Exactness::kExact,
                                   .group = "constants",
                                   .roots = kFoldExpandShapeRoots,
                                   .apply = apply_fold_expand_shape};

}  // namespace onnxpress::passes
