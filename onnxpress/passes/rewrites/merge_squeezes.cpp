// Removes Squeeze and Unsqueeze that undo each other.
//
//   before: y = Unsqueeze(Squeeze(x, [1]), [1])
//   after:  whoever read y reads x
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

bool apply(Node& node, Rewriter& rw) {
  const bool opens = node.is("Unsqueeze");
  Node* first = rw.producer(node.input(0), opens ? "Squeeze" : "Unsqueeze");
  if (!first) return false;
  // Both lists speak of the value that has the axes of size 1.
  const auto mine = axes_of(node, opens ? node.output() : node.input(0), rw);
  const auto other = axes_of(*first, opens ? first->input(0) : first->output(), rw);
  return mine && other && *mine == *other && rw.replace(node, first->input(0));
}

constexpr std::string_view kRoots[] = {"Squeeze", "Unsqueeze"};

}  // namespace

extern const Rewrite merge_squeezes;
const Rewrite merge_squeezes = {.name = "merge-squeezes",
                                .summary = "removes Squeeze and Unsqueeze that undo each other",
                                .exactness = Exactness::kExact,
                                .group = "clean-up",
                                .roots = kRoots,
                                .apply = apply};

}  // namespace onnxpress::passes
