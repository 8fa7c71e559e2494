// Merges two Concats along the same axis.
//
//   before: y = Concat(Concat(a, b, axis = 1), c, axis = 1)
//   after:  y = Concat(a, b, c, axis = 1)
//
// The inner one must be read by nothing else, or its work would be done twice.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_concats(Node& outer, Rewriter& rw) {
  const auto shape = rw.shape_of(outer.output());
  const auto axis = rw.params(outer).integer("axis");
  const auto wanted = shape && axis ? ops::normal_axis(*axis, shape->size()) : std::nullopt;
  if (!wanted) return false;
  std::vector<Value*> parts;
  bool found = false;
  for (const Use& use : outer.inputs()) {
    Node* inner = rw.sole_producer(use.value(), "Concat");
    const auto at = inner ? rw.params(*inner).integer("axis") : std::nullopt;
    if (!at || ops::normal_axis(*at, shape->size()) != wanted) {
      parts.push_back(use.value());
      continue;
    }
    found = true;
    for (const Use& part : inner->inputs()) parts.push_back(part.value());
  }
  const Parameter parameters[] = {{"axis", *axis}};
  return found && rw.replace(outer, rw.make("Concat", parts, parameters));
}

constexpr std::string_view kMergeConcatsRoots[] = {"Concat"};

}  // namespace

extern const Rewrite merge_concats;
const Rewrite merge_concats = {.name = "merge-concats",
                               .summary = "merges two Concats along the same axis",
                               .exactness = Exactness::kExact,
                               .group = "moving_data",
                               .roots = kMergeConcatsRoots,
                               .apply = apply_merge_concats};

}  // namespace onnxpress::passes
