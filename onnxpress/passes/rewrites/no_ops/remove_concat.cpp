// Removes a Concat of one value, and values without elements from other Concats.
//
//   before: y = Concat(x)                     before: y = Concat(x, empty, z, axis = 1)
//   after:  readers of y read x               after:  y = Concat(x, z, axis = 1)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_concat(Node& concat, Rewriter& rw) {
  if (concat.input_count() == 1) return rw.replace(concat, concat.input(0));
  const auto axis = rw.params(concat).integer("axis");
  if (!axis) return false;
  std::vector<Value*> kept;
  for (const Use& use : concat.inputs()) {
    const auto shape = rw.shape_of(use.value());
    const auto at = shape ? ops::normal_axis(*axis, shape->size()) : std::nullopt;
    if (!at || (*shape)[*at].size() != 0) kept.push_back(use.value());
  }
  if (kept.size() == concat.input_count()) return rw.refuse("no operand is known to be empty");
  if (kept.empty()) return false;
  const Parameter parameters[] = {{"axis", *axis}};
  return rw.replace(concat, kept.size() == 1 ? kept.front() : rw.make("Concat", kept, parameters));
}

constexpr std::string_view kRemoveConcatRoots[] = {"Concat"};

}  // namespace

extern const Rewrite remove_concat;
const Rewrite remove_concat = {.name = "remove-concat",
                               .summary = "removes a Concat of one value, and empty values from others",
                               .exactness = Exactness::kExact,
                               .group = "no_ops",
                               .roots = kRemoveConcatRoots,
                               .apply = apply_remove_concat};

}  // namespace onnxpress::passes
