// Merges a Transpose with the Transpose that feeds it.
//
//   before: t = Transpose(x, perm = p)
//           y = Transpose(t, perm = q)
//   after:  y = Transpose(x, perm = p[q]), or x itself when that leaves every axis where it was
//
// The first one stays if something else reads it; the merged one is no slower than the second was.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_transposes(Node& second, Rewriter& rw) {
  Node* first = rw.producer(second.input(0), "Transpose");
  if (!first) return false;
  auto p = perm_of(*first, rw), q = perm_of(second, rw, p ? std::optional(p->size()) : std::nullopt);
  if (!p && q) p = perm_of(*first, rw, q->size());
  if (!p || !q || p->size() != q->size()) return false;
  const Permutation merged = composed(*p, *q);
  Value* x = first->input(0);
  return rw.replace(second, moves_nothing(merged) ? x : rw.make("Transpose", {x}, {{"perm", merged}}));
}

constexpr std::string_view kMergeTransposesRoots[] = {"Transpose"};

}  // namespace

extern const Rewrite merge_transposes;
const Rewrite merge_transposes = {.name = "merge-transposes",
                                  .summary = "merges two Transposes into one, or none",
                                  .exactness = Exactness::kExact,
                                  .group = "moving_data",
                                  .roots = kMergeTransposesRoots,
                                  .apply = apply_merge_transposes};

}  // namespace onnxpress::passes
