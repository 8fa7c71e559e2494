// Removes a Gather that takes everything in order.
//
//   before: y = Gather(x, [0, 1, 2], axis = 1)   with x of [n, 3]
//   after:  readers of y read x
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_gather(Node& gather, Rewriter& rw) {
  const auto indices = rw.is_constant(gather.input(1)) ? rw.constant(gather.input(1)) : std::nullopt;
  if (!indices || indices->rank() != 1 || !rw.same_shape(gather.input(0), gather.output())) return false;
  const auto list = indices->integers();
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const std::int64_t index = (*list)[i] < 0 ? (*list)[i] + static_cast<std::int64_t>(list->size()) : (*list)[i];
    if (index != static_cast<std::int64_t>(i)) return false;
  }
  return list && rw.replace(gather, gather.input(0));
}

constexpr std::string_view kRemoveGatherRoots[] = {"Gather"};

}  // namespace

extern const Rewrite remove_gather;
const Rewrite remove_gather = {.name = "remove-gather",
                               .summary = "removes a Gather that takes everything in order",
                               .exactness = Exactness::kExact,
                               .group = "no_ops",
                               .roots = kRemoveGatherRoots,
                               .apply = apply_remove_gather};

}  // namespace onnxpress::passes
