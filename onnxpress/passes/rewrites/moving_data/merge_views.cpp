// Merges two ops that only change the shape into one Reshape.
//
//   before: y = Unsqueeze(Reshape(x, [6, -1]), [0])   Flatten, Squeeze or Unsqueeze of Reshape, Flatten, ...
//   after:  y = Reshape(x, [1, 6, -1])
//
// The shape of y must be known except for one dim, or copied from x. Nothing else may read the first op: two views of
// one value are cheaper than one shape for each.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/view_dims.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_views(Node& node, Rewriter& rw) {
  Node* first = nullptr;
  for (const std::string_view op : kViewOps) {
    if (!first) first = rw.sole_producer(node.input(0), op);
  }
  const auto to = first ? rw.shape_of(node.output()) : std::nullopt;
  if (!to) return false;
  const auto dims = view_dims(rw.shape_of(first->input(0)), *to, rw);
  return dims && rw.replace(node, rw.reshaped(first->input(0), *dims));
}

constexpr std::string_view kMergeViewsRoots[] = {"Flatten", "Squeeze", "Unsqueeze"};

}  // namespace

extern const Rewrite merge_views;
const Rewrite merge_views = {.name = "merge-views",
                             .summary = "merges two ops that only change the shape into one Reshape",
                             .exactness = Exactness::kExact,
                             .group = "moving_data",
                             .roots = kMergeViewsRoots,
                             .apply = apply_merge_views};

}  // namespace onnxpress::passes
