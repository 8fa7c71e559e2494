// Removes a Split into one part.
//
//   before: y = Split(x)   with one output
//   after:  readers of y read x
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_split(Node& split, Rewriter& rw) {
  if (split.output_count() != 1) return rw.refuse("it has {} results", split.output_count());
  if (!rw.same_shape(split.input(0), split.output())) return false;
  return rw.replace(split, split.input(0));
}

constexpr std::string_view kRemoveSplitRoots[] = {"Split"};

}  // namespace

extern const Rewrite remove_split;
const Rewrite remove_split = {.name = "remove-split",
                              .summary = "removes a Split into one part",
                              .exactness = Exactness::kExact,
                              .group = "no_ops",
                              .roots = kRemoveSplitRoots,
                              .apply = apply_remove_split};

}  // namespace onnxpress::passes
