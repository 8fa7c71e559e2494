// Merges two Unsqueezes into one.
//
//   before: y = Unsqueeze(Unsqueeze(x, [0]), [2])
//   after:  y = Unsqueeze(x, [0, 2])
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_unsqueezes(Node& second, Rewriter& rw) {
  Node* first = rw.sole_producer(second.input(0), "Unsqueeze");
  const auto shape = first ? rw.shape_of(first->input(0)) : std::nullopt;
  if (!shape) return false;
  const auto inner = rw.params(*first).integers("axes"), outer = rw.params(second).integers("axes");
  if (!inner || !outer) return false;
  const std::size_t between = shape->size() + inner->size(), rank = between + outer->size();
  const auto a = ops::normal_axes(*inner, between), b = ops::normal_axes(*outer, rank);
  if (!a || !b) return false;
  // An axis of the result is either added by the second Unsqueeze or is the next axis of the first one's result.
  std::vector<std::int64_t> axes;
  std::size_t from = 0;
  for (std::size_t to = 0; to < rank; ++to) {
    const bool second_fills = std::ranges::find(*b, to) != b->end();
    const bool first_filled = !second_fills && std::ranges::find(*a, from) != a->end();
    if (second_fills || first_filled) axes.push_back(static_cast<std::int64_t>(to));
    if (!second_fills) ++from;
  }
  return rw.replace(second, rw.make("Unsqueeze", {first->input(0)}, {{"axes", axes}}));
}

constexpr std::string_view kMergeUnsqueezesRoots[] = {"Unsqueeze"};

}  // namespace

extern const Rewrite merge_unsqueezes;
const Rewrite merge_unsqueezes = {.name = "merge-unsqueezes",
                                  .summary = "merges two Unsqueezes into one",
                                  .exactness = Exactness::kExact,
                                  .group = "moving_data",
                                  .roots = kMergeUnsqueezesRoots,
                                  .apply = apply_merge_unsqueezes};

}  // namespace onnxpress::passes
