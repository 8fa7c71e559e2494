// Merges consecutive limits into one Clip.
//
//   before: y = Clip(Relu(x), max = 6)   or Relu(Clip(x)), Clip(Clip(x)), Min(Max(x, 0), 6), Max(Min(x, 6), 0)
//   after:  y = Clip(x, 0, 6)
//
// Limits must be constants of one element, the lower not above the upper. The merged limits are the first op's limits,
// clipped by the second.
#include <algorithm>
#include <limits>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

struct Limits {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  Value* x = nullptr;
};

// The number of a constant that has one element and no more axes than x.
std::optional<double> limit(const Value* value, const Value* x, const Rewriter& rw) {
  const auto array = rw.is_constant(value) ? rw.constant(value) : std::nullopt;
  const auto shape = rw.shape_of(x);
  if (!array || (array->rank() > 0 && (!shape || shape->size() < array->rank()))) return std::nullopt;
  return array->number();
}

std::optional<Limits> limits_of(const Node& node, const Rewriter& rw) {
  Limits found{.x = node.input(0)};
  if (node.is("Relu")) {
    found.low = 0;
  } else if (node.is("Clip")) {
    const auto params = rw.params(node);
    const auto min = params.real("min"), max = params.real("max");
    if ((params.given("min") && !min) || (params.given("max") && !max)) return std::nullopt;
    if (min) found.low = *min;
    if (max) found.high = *max;
  } else {
    if (node.input_count() != 2) return std::nullopt;
    const std::size_t side = rw.is_constant(node.input(0)) ? 0 : 1;
    found.x = node.input(1 - side);
    const auto number = limit(node.input(side), found.x, rw);
    if (!number) return std::nullopt;
    (node.is("Max") ? found.low : found.high) = *number;
  }
  return found.low <= found.high ? std::optional(found) : std::nullopt;
}

bool apply_merge_clips(Node& node, Rewriter& rw) {
  Node* first = nullptr;
  for (const Use& use : node.inputs()) {
    for (const std::string_view op : {"Clip", "Relu", "Max", "Min"}) {
      if (!first) first = rw.sole_producer(use.value(), op);
    }
  }
  if (!first) return false;
  const auto outer = limits_of(node, rw), inner = limits_of(*first, rw);
  if (!outer || !inner || outer->x != first->output()) return false;
  const double low = std::clamp(inner->low, outer->low, outer->high);
  const double high = std::clamp(inner->high, outer->low, outer->high);
  std::vector<Parameter> parameters;
  if (low != -std::numeric_limits<double>::infinity()) parameters.emplace_back("min", low);
  if (high != std::numeric_limits<double>::infinity()) parameters.emplace_back("max", high);
  const bool is_relu = low == 0 && parameters.size() == 1;
  Value* const x[] = {inner->x};
  return rw.replace(node, is_relu ? rw.make("Relu", x) : rw.make("Clip", x, parameters));
}

constexpr std::string_view kMergeClipsRoots[] = {"Clip", "Relu", "Max", "Min"};

}  // namespace

extern const Rewrite merge_clips;
const Rewrite merge_clips = {.name = "merge-clips",
                             .summary = "merges consecutive Clip, Relu, Min and Max into one Clip",
                             .exactness = Exactness::kReassociates,
                             .group = "arithmetic",
                             .roots = kMergeClipsRoots,
                             .apply = apply_merge_clips};

}  // namespace onnxpress::passes
