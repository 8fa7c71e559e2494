// Removes a Slice that takes everything.
//
//   before: y = Slice(x, [0], [9223372036854775807], axes = [1])
//   after:  readers of y read x
//
// The steps must be 1: a step of -1 also takes everything, but in reverse.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_slice(Node& slice, Rewriter& rw) {
  const auto params = rw.params(slice);
  const auto steps = params.integers("steps");
  if (params.given("steps") && (!steps || std::ranges::any_of(*steps, [](std::int64_t each) { return each != 1; })))
    return rw.refuse("its steps are not 1");
  if (!rw.same_shape(slice.input(0), slice.output())) return false;
  return rw.replace(slice, slice.input(0));
}

constexpr std::string_view kRemoveSliceRoots[] = {"Slice"};

}  // namespace

extern const Rewrite remove_slice;
const Rewrite remove_slice = {.name = "remove-slice",
                              .summary = "removes a Slice that takes everything",
                              .exactness = Exactness::kExact,
                              .group = "no_ops",
                              .roots = kRemoveSliceRoots,
                              .apply = apply_remove_slice};

}  // namespace onnxpress::passes
