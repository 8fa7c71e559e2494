// Lets a reduction keep or drop its axes itself, without an Unsqueeze or Squeeze after it.
//
//   before: y = Unsqueeze(ReduceMean(x, axes = [2], keepdims = 0), [2])   or Squeeze of one with keepdims = 1
//   after:  y = ReduceMean(x, axes = [2], keepdims = 1)
//
// Both must name the same axes, and nothing else may read the reduction.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/reduction.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_reduce_views(Node& view, Rewriter& rw) {
  Node* reduce = nullptr;
  for (const std::string_view op : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                                    "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"}) {
    if (!reduce) reduce = rw.sole_producer(view.input(0), op);
  }
  const auto shape = reduce ? rw.shape_of(reduce->input(0)) : std::nullopt;
  const auto named = rw.params(view).integers("axes");
  const auto reduced = reduce ? reduced_axes(*reduce, rw) : std::nullopt;
  if (!shape || !named || !reduced || reduced->empty()) return false;
  const auto kept = rw.params(*reduce).integer_or("keepdims", 1);
  if (kept != (view.is("Unsqueeze") ? 0 : 1)) return false;
  auto axes = ops::normal_axes(*named, shape->size());
  if (!axes) return false;
  std::ranges::sort(*axes);
  if (*axes != *reduced) return false;
  const std::vector<std::int64_t> list(reduced->begin(), reduced->end());
  return rw.replace(view, rw.make(reduce->op_type(), {reduce->input(0)}, {{"axes", list}, {"keepdims", 1 - kept}}));
}

constexpr std::string_view kMergeReduceViewsRoots[] = {"Squeeze", "Unsqueeze"};

}  // namespace

extern const Rewrite merge_reduce_views;
const Rewrite merge_reduce_views = {.name = "merge-reduce-views",
                                    .summary = "merges Squeeze or Unsqueeze into the reduction before it",
                                    .exactness = Exactness::kExact,
                                    .group = "arithmetic",
                                    .roots = kMergeReduceViewsRoots,
                                    .apply = apply_merge_reduce_views};

}  // namespace onnxpress::passes
