// Removes Squeeze and Unsqueeze that undo each other, and merges two Squeezes into one.
//
//   before: y = Unsqueeze(Squeeze(x, [1]), [1])     before: y = Squeeze(Squeeze(x, [1]), [0])
//   after:  readers of y read x                     after:  y = Squeeze(x, [0, 1])
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// Axes counted from the front; nullopt when they are not known.
std::optional<std::vector<std::int64_t>> axes_of(const Node& node, const Value* ranked, const Rewriter& rw) {
  const auto axes = rw.params(node).integers("axes");
  const auto shape = rw.shape_of(ranked);
  if (!axes || !shape) return std::nullopt;
  std::vector<std::int64_t> normal;
  for (const std::int64_t axis : *axes)
    normal.push_back(axis < 0 ? axis + static_cast<std::int64_t>(shape->size()) : axis);
  std::ranges::sort(normal);
  return normal;
}

// Merges two Squeezes: the axes of the second are renumbered to those of the first one's operand.
bool squeeze_at_once(Node& second, Rewriter& rw) {
  Node* first = rw.sole_producer(second.input(0), "Squeeze");
  if (!first) return false;
  auto axes = axes_of(*first, first->input(0), rw);
  const auto later = axes_of(second, second.input(0), rw);
  const auto shape = rw.shape_of(first->input(0));
  if (!axes || !later || axes->empty() || later->empty() || !shape) return false;
  std::vector<std::int64_t> left;  // axes that the first Squeeze keeps
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape->size()); ++axis) {
    if (std::ranges::find(*axes, axis) == axes->end()) left.push_back(axis);
  }
  for (const std::int64_t axis : *later) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= left.size()) return false;
    axes->push_back(left[static_cast<std::size_t>(axis)]);
  }
  std::ranges::sort(*axes);
  return rw.replace(second, rw.make("Squeeze", {first->input(0)}, {{"axes", *axes}}));
}

bool apply_merge_squeezes(Node& node, Rewriter& rw) {
  if (node.is("Squeeze") && squeeze_at_once(node, rw)) return true;
  const bool opens = node.is("Unsqueeze");
  Node* first = rw.producer(node.input(0), opens ? "Squeeze" : "Unsqueeze");
  if (!first) return false;
  // Both lists refer to the value that has the axes of size 1.
  const auto mine = axes_of(node, opens ? node.output() : node.input(0), rw);
  const auto other = axes_of(*first, opens ? first->input(0) : first->output(), rw);
  return mine && other && *mine == *other && rw.replace(node, first->input(0));
}

constexpr std::string_view kMergeSqueezesRoots[] = {"Squeeze", "Unsqueeze"};

}  // namespace

extern const Rewrite merge_squeezes;
const Rewrite merge_squeezes = {
    .name = "merge-squeezes",
    .summary = "removes Squeeze and Unsqueeze that undo each other, and merges two Squeezes",
    .exactness = Exactness::kExact,
    .group = "moving_data",
    .roots = kMergeSqueezesRoots,
    .apply = apply_merge_squeezes};

}  // namespace onnxpress::passes
