// Merges two Slices into one.
//
//   before: y = Slice(Slice(x, [1], [5], [2]), [0], [3], [3])
//   after:  y = Slice(x, [1, 0], [5, 3], [2, 3])
//
// Axes that both cut need a known size, because the second cuts what the first leaves. Nothing else may read the first.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

struct Cut {
  std::size_t axis;
  std::int64_t start, end, step;
};

std::optional<std::vector<Cut>> cuts_of(const Node& slice, std::size_t rank, const Rewriter& rw) {
  const auto params = rw.params(slice);
  const auto starts = params.integers("starts"), ends = params.integers("ends");
  const auto axes = params.integers("axes"), steps = params.integers("steps");
  if (!starts || !ends || starts->size() != ends->size()) return std::nullopt;
  if ((params.given("axes") && (!axes || axes->size() != starts->size())) ||
      (params.given("steps") && (!steps || steps->size() != starts->size())))
    return std::nullopt;
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis = ops::normal_axis(axes ? (*axes)[i] : static_cast<std::int64_t>(i), rank);
    if (!axis || std::ranges::find(cuts, *axis, &Cut::axis) != cuts.end()) return std::nullopt;
    cuts.push_back({*axis, (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1});
  }
  return cuts;
}

// Applies `second` to what `first` leaves of an axis of this size; nullopt if one goes backwards.
std::optional<Cut> composed_cut(const Cut& first, const Cut& second, std::int64_t size) {
  if (first.step < 1 || second.step < 1 || first.step > (1 << 30) || second.step > (1 << 30)) return std::nullopt;
  const auto within = [](std::int64_t place, std::int64_t most) {
    return std::clamp<std::int64_t>(place < 0 ? place + most : place, 0, most);
  };
  const std::int64_t begin = within(first.start, size), end = std::max(begin, within(first.end, size));
  const std::int64_t left = (end - begin + first.step - 1) / first.step;
  const std::int64_t start = within(second.start, left), stop = std::max(start, within(second.end, left));
  if (start == stop) return Cut{first.axis, 0, 0, 1};
  return Cut{first.axis, begin + start * first.step, std::min(end, begin + stop * first.step),
             first.step * second.step};
}

bool apply_merge_slices(Node& node, Rewriter& rw) {
  Node* inner = rw.sole_producer(node.input(0), "Slice");
  const auto shape = inner ? rw.shape_of(inner->input(0)) : std::nullopt;
  if (!shape) return false;
  auto cuts = cuts_of(*inner, shape->size(), rw);
  const auto outer = cuts_of(node, shape->size(), rw);
  if (!cuts || !outer) return false;
  for (const Cut& each : *outer) {
    const auto same = std::ranges::find(*cuts, each.axis, &Cut::axis);
    if (same == cuts->end()) {
      cuts->push_back(each);
      continue;
    }
    const auto size = (*shape)[each.axis].size();
    const auto both = size ? composed_cut(*same, each, *size) : std::nullopt;
    if (!both) return false;
    *same = *both;
  }
  std::vector<std::int64_t> starts, ends, axes, steps;
  for (const Cut& each : *cuts) {
    starts.push_back(each.start);
    ends.push_back(each.end);
    axes.push_back(static_cast<std::int64_t>(each.axis));
    steps.push_back(each.step);
  }
  std::vector<Parameter> parameters = {{"starts", starts}, {"ends", ends}, {"axes", axes}};
  if (std::ranges::any_of(steps, [](std::int64_t step) { return step != 1; })) parameters.emplace_back("steps", steps);
  Value* const x[] = {inner->input(0)};
  return rw.replace(node, rw.make("Slice", x, parameters));
}

constexpr std::string_view kMergeSlicesRoots[] = {"Slice"};

}  // namespace

extern const Rewrite merge_slices;
const Rewrite merge_slices = {.name = "merge-slices",
                              .summary = "merges two Slices into one",
                              .exactness = Exactness::kExact,
                              .group = "moving_data",
                              .roots = kMergeSlicesRoots,
                              .apply = apply_merge_slices};

}  // namespace onnxpress::passes
