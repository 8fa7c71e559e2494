// Reduces before transposing: there is less to move, and nothing at all if only reduced axes moved.
//
//   before: y = ReduceMean(Transpose(x, perm = [0, 2, 3, 1]), axes = [1, 2], keepdims = 0)
//   after:  y = ReduceMean(x, axes = [2, 3], keepdims = 0)
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/permutation.h"
#include "onnxpress/passes/shared/reduction.h"

namespace onnxpress::passes {

namespace {

bool apply_reduce_before_transpose(Node& reduce, Rewriter& rw) {
  Node* transpose = rw.sole_producer(reduce.input(0), "Transpose");
  const auto perm = transpose ? perm_of(*transpose, rw) : std::nullopt;
  const auto axes = perm ? reduced_axes(reduce, rw) : std::nullopt;
  if (!axes || axes->empty()) return false;
  std::vector<std::int64_t> renamed;
  for (const std::size_t axis : *axes) renamed.push_back((*perm)[axis]);
  std::ranges::sort(renamed);
  Permutation left = *perm;  // the order of the axes in the result
  const bool keeps = keeps_axes(reduce, rw);
  if (!keeps) {
    std::erase_if(left, [&](std::int64_t axis) { return std::ranges::binary_search(renamed, axis); });
    for (std::int64_t& axis : left) {
      const auto gone = std::ranges::lower_bound(renamed, axis) - renamed.begin();
      axis -= static_cast<std::int64_t>(gone);
    }
  }
  Value* made = rw.make(reduce.op_type(), {transpose->input(0)}, {{"axes", renamed}, {"keepdims", keeps ? 1 : 0}});
  if (!made) return false;
  return rw.replace(reduce, moves_nothing(left) ? made : rw.make("Transpose", {made}, {{"perm", left}}));
}

constexpr std::string_view kReduceBeforeTransposeRoots[] = {
    "ReduceMean", "ReduceSum", "ReduceMax",    "ReduceMin",       "ReduceProd",
    "ReduceL1",   "ReduceL2",  "ReduceLogSum", "ReduceSumSquare", "ReduceLogSumExp"};

}  // namespace

extern const Rewrite reduce_before_transpose;
const Rewrite reduce_before_transpose = {.name = "reduce-before-transpose",
                                         .summary = "reduces before transposing, so that there is less to move",
                                         .exactness = Exactness::kReassociates,
                                         .group = "moving_data",
                                         .roots = kReduceBeforeTransposeRoots,
                                         .apply = apply_reduce_before_transpose};

}  // namespace onnxpress::passes
