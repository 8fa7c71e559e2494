// Merges two reductions of the same kind, and removes one over axes of size 1.
//
//   before: y = ReduceMax(ReduceMax(x, axes = [3]), axes = [2])     before: y = ReduceMax(x, axes = [1])   x: [n, 1]
//   after:  y = ReduceMax(x, axes = [2, 3])                         after:  readers of y read x
//
// For Max, Min, Sum and Prod, and for Mean if the sizes of the axes are known, because only then do all elements have
// the same weight. Both must keep their axes, and nothing else may read the first.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/reduction.h"

namespace onnxpress::passes {

namespace {

bool sizes_known(const Value* x, const std::vector<std::size_t>& axes, const Rewriter& rw) {
  const auto shape = rw.shape_of(x);
  return shape && std::ranges::all_of(axes, [&](std::size_t axis) { return (*shape)[axis].is_size(); });
}

bool apply_merge_reductions(Node& node, Rewriter& rw) {
  const auto outer = reduced_axes(node, rw);
  if (!outer || outer->empty() || !keeps_axes(node, rw)) return false;
  if (rw.same_shape(node.input(0), node.output()) && sizes_known(node.input(0), *outer, rw))
    return rw.replace(node, node.input(0));
  Node* inner = rw.sole_producer(node.input(0), node.op_type());
  const auto axes = inner && keeps_axes(*inner, rw) ? reduced_axes(*inner, rw) : std::nullopt;
  if (!axes || axes->empty()) return false;
  std::vector<std::size_t> all = *axes;
  all.insert(all.end(), outer->begin(), outer->end());
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) return false;
  if (node.is("ReduceMean") && !sizes_known(inner->input(0), all, rw)) return false;
  const std::vector<std::int64_t> list(all.begin(), all.end());
  return rw.replace(node, rw.make(node.op_type(), {inner->input(0)}, {{"axes", list}, {"keepdims", 1}}));
}

constexpr std::string_view kMergeReductionsRoots[] = {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceProd",
                                                      "ReduceMean"};

}  // namespace

extern const Rewrite merge_reductions;
const Rewrite merge_reductions = {.name = "merge-reductions",
                                  .summary = "merges two reductions, and removes one over axes of size 1",
                                  .exactness = Exactness::kReassociates,
                                  .group = "arithmetic",
                                  .roots = kMergeReductionsRoots,
                                  .apply = apply_merge_reductions};

}  // namespace onnxpress::passes
