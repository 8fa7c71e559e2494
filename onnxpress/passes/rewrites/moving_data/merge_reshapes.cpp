// Removes an op that changes the shape right before a Reshape: only the last shape counts.
//
//   before: y = Reshape(Reshape(x, s), [2, -1])   or of Flatten, Squeeze, Unsqueeze
//   after:  y = Reshape(x, [2, -1])
//
// A 0 in the shape copies a dim of the operand, which changes: the 0 becomes the size, or stays if x has the same dim
// at that position.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/view_dims.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_reshapes(Node& reshape, Rewriter& rw) {
  Node* first = nullptr;
  for (const std::string_view op : kViewOps) {
    if (!first) first = rw.producer(reshape.input(0), op);
  }
  const auto params = rw.params(reshape);
  const auto shape = params.integers("shape");
  if (!first || !shape) return false;
  Value* x = first->input(0);
  if (std::ranges::find(*shape, 0) == shape->end())
    return rw.replace(reshape, rw.make("Reshape", {x, reshape.input(1)}));
  if (params.flag("allowzero")) return false;  // then a 0 means an empty axis
  const auto to = rw.shape_of(reshape.output());
  const auto dims = to ? view_dims(rw.shape_of(x), *to, rw) : std::nullopt;
  return dims && rw.replace(reshape, rw.reshaped(x, *dims));
}

constexpr std::string_view kMergeReshapesRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite merge_reshapes;
const Rewrite merge_reshapes = {.name = "merge-reshapes",
                                .summary = "removes a Reshape, Flatten, Squeeze or Unsqueeze before a Reshape",
                                .exactness = Exactness::kExact,
                                .group = "moving_data",
                                .roots = kMergeReshapesRoots,
                                .apply = apply_merge_reshapes};

}  // namespace onnxpress::passes
