// Replaces Slices that cut a value into pieces by one Split.
//
//   before: a = Slice(x, [0], [4], [1]); b = Slice(x, [4], [8], [1])   with x of [n, 8]
//   after:  a, b = Split(x, [4, 4], axis = 1)
//
// Every element along the axis belongs to exactly one Slice.
#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/slices.h"

namespace onnxpress::passes {

namespace {

bool apply_split_slices(Node& node, Rewriter& rw) {
  const auto first = slice_of(node, rw);
  if (!first || first->step != 1 || first->begin != 0) return false;
  Value* x = node.input(0);
  if (rw.fact(x).is_constant) return rw.refuse("{} is constant, so the Slices are folded", quote_name(x->name()));
  std::vector<AxisSlice> pieces;
  for (const Use* use = x->first_use(); use; use = use->next()) {
    Node* user = use->user();
    if (use->index() != 0 || user->graph() != node.graph() || !rw.is(*user, "Slice")) continue;
    const auto piece = slice_of(*user, rw);
    if (piece && piece->axis == first->axis && piece->step == 1) pieces.push_back(*piece);
  }
  std::ranges::sort(pieces, {}, &AxisSlice::begin);
  std::vector<std::int64_t> sizes;
  std::int64_t at = 0;
  for (const AxisSlice& each : pieces) {
    if (each.begin != at || each.end <= each.begin)
      return rw.refuse("between the Slices of axis {}, there is a gap, or two overlap, at {}", first->axis, at);
    sizes.push_back(each.end - each.begin);
    at = each.end;
  }
  if (pieces.size() < 2 || at != first->size)
    return rw.refuse("the Slices of axis {} end at {} of {}", first->axis, at, first->size);
  Node* earliest = pieces.front().node;
  for (const AxisSlice& each : pieces) earliest = each.node->comes_before(*earliest) ? each.node : earliest;
  rw.insert_before(*earliest);
  const Parameter parameters[] = {{"axis", static_cast<std::int64_t>(first->axis)}, {"split", sizes}};
  Node* split = rw.make_node("Split", {&x, 1}, parameters, pieces.size());
  if (!split) return false;
  for (std::size_t i = 0; i < pieces.size(); ++i) rw.replace(*pieces[i].node, split->output(i));
  return true;
}

constexpr std::string_view kSplitSlicesRoots[] = {"Slice"};

}  // namespace

extern const Rewrite split_slices;
const Rewrite split_slices = {.name = "split-slices",
                              .summary = "replaces Slices that cut a value into pieces by one Split",
                              .exactness = Exactness::kExact,
                              .group = "moving_data",
                              .roots = kSplitSlicesRoots,
                              .apply = apply_split_slices};

}  // namespace onnxpress::passes
