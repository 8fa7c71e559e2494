// Removes a Where whose condition is the same everywhere, or whose branches are the same.
//
//   before: y = Where(true, a, b)
//   after:  readers of y read a, if a has the shape of y
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_where(Node& where, Rewriter& rw) {
  const bool same_branches = where.input(1) == where.input(2);
  const auto condition = rw.is_constant(where.input(0)) ? rw.constant(where.input(0)) : std::nullopt;
  const auto chosen = condition ? condition->integers() : std::nullopt;
  if (!same_branches) {
    if (!chosen || chosen->empty()) return false;
    if (std::ranges::any_of(*chosen, [&](std::int64_t each) { return (each != 0) != (chosen->front() != 0); }))
      return false;
  }
  Value* value = where.input(same_branches || chosen->front() != 0 ? 1 : 2);
  return rw.same_shape(value, where.output()) && rw.replace(where, value);
}

constexpr std::string_view kRemoveWhereRoots[] = {"Where"};

}  // namespace

extern const Rewrite remove_where;
const Rewrite remove_where = {.name = "remove-where",
                              .summary = "removes a Where whose condition or whose branches are the same everywhere",
                              .exactness = Exactness::kExact,
                              .group = "no_ops",
                              .roots = kRemoveWhereRoots,
                              .apply = apply_remove_where};

}  // namespace onnxpress::passes
