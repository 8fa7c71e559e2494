// Removes ops that give a value the shape it already has: Reshape, Flatten, Expand, Squeeze, Unsqueeze, Tile.
//
//   before: y = Reshape(x, [2, 3])   with x of [2, 3]
//   after:  readers of y read x
//
// Every dim must be proved to be the same: an equal size, or the same expression.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_reshape(Node& node, Rewriter& rw) {
  if (!rw.same_shape(node.input(0), node.output())) return false;
  return rw.replace(node, node.input(0));
}

constexpr std::string_view kRemoveReshapeRoots[] = {"Reshape", "Flatten", "Expand", "Squeeze", "Unsqueeze", "Tile"};

}  // namespace

extern const Rewrite remove_reshape;
const Rewrite remove_reshape = {.name = "remove-reshape",
                                .summary = "removes ops that give a value the shape it already has",
                                .exactness = Exactness::kExact,
                                .group = "no_ops",
                                .roots = kRemoveReshapeRoots,
                                .apply = apply_remove_reshape};

}  // namespace onnxpress::passes
