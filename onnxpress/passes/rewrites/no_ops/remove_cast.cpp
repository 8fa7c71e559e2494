// Removes a Cast to the type that its operand has.
//
//   before: y = Cast(x, to = float)   with x of type float
//   after:  readers of y read x
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_cast(Node& cast, Rewriter& rw) {
  const ElementType type = rw.element_of(cast.input(0));
  if (type == ElementType::kUndefined) return rw.refuse("the type of its operand is not known");
  if (rw.element_of(cast.output()) != type) return rw.refuse("it changes the type");
  return rw.replace(cast, cast.input(0));
}

constexpr std::string_view kRemoveCastRoots[] = {"Cast", "CastLike"};

}  // namespace

extern const Rewrite remove_cast;
const Rewrite remove_cast = {.name = "remove-cast",
                             .summary = "removes a Cast to the type that the value already has",
                             .exactness = Exactness::kExact,
                             .group = "no_ops",
                             .roots = kRemoveCastRoots,
                             .apply = apply_remove_cast};

}  // namespace onnxpress::passes
