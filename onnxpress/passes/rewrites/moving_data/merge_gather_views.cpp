// Lets a Gather of one index keep or drop the axis itself.
//
//   before: y = Unsqueeze(Gather(x, 2, axis = 0), [0])     before: y = Squeeze(Gather(x, [2], axis = 0), [0])
//   after:  y = Gather(x, [2], axis = 0)                   after:  y = Gather(x, 2, axis = 0)
//
// The index must be constant, and nothing else may read the Gather.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_gather_views(Node& view, Rewriter& rw) {
  Node* gather = rw.sole_producer(view.input(0), "Gather");
  const auto shape = gather ? rw.shape_of(gather->input(0)) : std::nullopt;
  if (!shape || !rw.is_constant(gather->input(1))) return false;
  const auto index = rw.constant(gather->input(1));
  const auto number = index && index->count() == 1 ? index->integers() : std::nullopt;
  const auto axis = ops::normal_axis(rw.params(*gather).integer_or("axis", 0), shape->size());
  const auto axes = rw.params(view).integers("axes");
  const bool opens = view.is("Unsqueeze");
  if (!number || !axis || !axes || axes->size() != 1 || index->rank() != (opens ? 0u : 1u)) return false;
  // Both axes refer to the value that has the axis of size 1, whose rank is that of x.
  if (ops::normal_axis(axes->front(), shape->size()) != axis) return false;
  Value* const at =
      opens ? rw.integers({number->front()}) : rw.scalar(ElementType::kInt64, static_cast<double>(number->front()));
  return rw.replace(view, rw.make("Gather", {gather->input(0), at}, {{"axis", static_cast<std::int64_t>(*axis)}}));
}

constexpr std::string_view kMergeGatherViewsRoots[] = {"Unsqueeze", "Squeeze"};

}  // namespace

extern const Rewrite merge_gather_views;
const Rewrite merge_gather_views = {.name = "merge-gather-views",
                                    .summary = "merges Squeeze or Unsqueeze into the Gather of one index before it",
                                    .exactness = Exactness::kExact,
                                    .group = "moving_data",
                                    .roots = kMergeGatherViewsRoots,
                                    .apply = apply_merge_gather_views};

}  // namespace onnxpress::passes
