// Lets a reduction keep its axes instead of putting them back.
//
//   before: y = Unsqueeze(ReduceMean(x, axes = [2], keepdims = 0), [2])
//   after:  y = ReduceMean(x, axes = [2], keepdims = 1)
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply(Node& unsqueeze, Rewriter& rw) {
  Node* reduce = nullptr;
  for (const std::string_view op : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                                    "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"}) {
    if (!reduce) reduce = rw.sole_producer(unsqueeze.input(0), op);
  }
  const auto shape = reduce ? rw.shape_of(reduce->input(0)) : std::nullopt;
  if (!shape) return false;
  const auto params = rw.params(*reduce);
  const auto reduced = params.integers("axes"), opened = rw.params(unsqueeze).integers("axes");
  if (params.integer_or("keepdims", 1) != 0 || !reduced || reduced->empty() || !opened) return false;
  auto a = ops::normal_axes(*reduced, shape->size()), b = ops::normal_axes(*opened, shape->size());
  if (!a || !b) return false;
  std::ranges::sort(*a);
  std::ranges::sort(*b);
  if (*a != *b) return false;
  return rw.replace(unsqueeze, rw.make(reduce->op_type(), {reduce->input(0)}, {{"axes", *reduced}, {"keepdims", 1}}));
}

constexpr std::string_view kRoots[] = {"Unsqueeze"};

}  // namespace

extern const Rewrite merge_reduce_views;
const Rewrite merge_reduce_views = {.name = "merge-reduce-views",
                                    .summary = "lets a reduction keep its axes instead of putting them back",
                                    .exactness = Exactness::kExact,
                                    .group = "clean-up",
                                    .roots = kRoots,
                                    .apply = apply};

}  // namespace onnxpress::passes
