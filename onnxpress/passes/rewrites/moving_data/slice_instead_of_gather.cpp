// Replaces a Gather of consecutive indices by a Slice.
//
//   before: y = Gather(x, [4, 5, 6, ...], axis = 1)
//   after:  y = Slice(x, [4], [20], [1])
//
// For sixteen indices or more, because a Slice needs constants, too. Also for Range(4, n, 1) if n is a size.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

constexpr std::size_t kFewest = 16;

// For indices from a Range with a constant start and a computed end. With an end beyond the axis, the Gather would have
// failed.
bool take_range(Node& gather, const Node& range, Rewriter& rw) {
  const auto begin = rw.is_constant(range.input(0)) ? rw.constant(range.input(0)) : std::nullopt,
             step = rw.is_constant(range.input(2)) ? rw.constant(range.input(2)) : std::nullopt;
  const bool fits = begin && step && begin->number() >= 0 && step->number() == 1 &&
                    rw.element_of(range.input(1)) == ElementType::kInt64 && rw.fact(range.input(1)).range.low >= 0;
  if (!fits) return false;
  Value* axis = rw.integers({rw.params(gather).integer_or("axis", 0)});
  return rw.replace(gather, rw.make("Slice", {gather.input(0), rw.reshaped(range.input(0), {1}),
                                              rw.reshaped(range.input(1), {1}), axis}));
}

bool apply_slice_instead_of_gather(Node& gather, Rewriter& rw) {
  if (const Node* range = rw.sole_producer(gather.input(1), "Range"); range && !rw.is_constant(gather.input(1)))
    return take_range(gather, *range, rw);
  const auto shape = rw.shape_of(gather.input(0));
  const auto indices = rw.is_constant(gather.input(1)) ? rw.constant(gather.input(1)) : std::nullopt;
  if (!shape || !indices || indices->rank() != 1 || indices->count() < kFewest) return false;
  const auto axis = ops::normal_axis(rw.params(gather).integer_or("axis", 0), shape->size());
  const auto list = indices->integers();
  if (!axis || !list || list->front() < 0) return false;
  for (std::size_t i = 1; i < list->size(); ++i) {
    if ((*list)[i] != (*list)[i - 1] + 1) return false;
  }
  // An index beyond the axis makes the Gather fail, but a Slice would only be shorter.
  const auto size = (*shape)[*axis].size();
  if (!size || list->back() >= *size) return false;
  const auto one = [](std::int64_t number) { return std::vector<std::int64_t>{number}; };
  return rw.replace(gather, rw.make("Slice", {gather.input(0)},
                                    {{"starts", one(list->front())},
                                     {"ends", one(list->back() + 1)},
                                     {"axes", one(static_cast<std::int64_t>(*axis))}}));
}

constexpr std::string_view kSliceInsteadOfGatherRoots[] = {"Gather"};

}  // namespace

extern const Rewrite slice_instead_of_gather;
const Rewrite slice_instead_of_gather = {.name = "slice-instead-of-gather",
                                         .summary = "replaces a Gather of consecutive indices by a Slice",
                                         .exactness = Exactness::kExact,
                                         .group = "moving_data",
                                         .roots = kSliceInsteadOfGatherRoots,
                                         .apply = apply_slice_instead_of_gather};

}  // namespace onnxpress::passes
