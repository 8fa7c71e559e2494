// Removes a Cast and the Cast back, which only round.
//
//   before: y = Cast(Cast(x, to = float16), to = float)   with x of type float; or bfloat16, or double by way of float
//   after:  readers of y read x, with more digits than before
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_rounding_casts(Node& cast, Rewriter& rw) {
  const Node* first = rw.producer(cast.input(0), "Cast");
  if (!first) return false;
  const ElementType type = rw.element_of(first->input(0));
  const bool rounds = is_float(type) && is_float(rw.element_of(cast.input(0))) && rw.element_of(cast.output()) == type;
  return rounds && rw.replace(cast, first->input(0));
}

constexpr std::string_view kRemoveRoundingCastsRoots[] = {"Cast"};

}  // namespace

extern const Rewrite remove_rounding_casts;
const Rewrite remove_rounding_casts = {.name = "remove-rounding-casts",
                                       .summary = "removes a Cast and the Cast back, which only round",
                                       .exactness = Exactness::kApproximate,
                                       .group = "approximate",
                                       .large_pattern = true,
                                       .roots = kRemoveRoundingCastsRoots,
                                       .apply = apply_remove_rounding_casts};

}  // namespace onnxpress::passes
