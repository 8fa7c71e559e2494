// Swaps the branches of a Where instead of negating its condition.
//
//   before: y = Where(Not(c), a, b)
//   after:  y = Where(c, b, a)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_move_not_into_where(Node& where, Rewriter& rw) {
  Node* negation = rw.producer(where.input(0), "Not");
  return negation && rw.replace(where, rw.make("Where", {negation->input(0), where.input(2), where.input(1)}));
}

constexpr std::string_view kMoveNotIntoWhereRoots[] = {"Where"};

}  // namespace

extern const Rewrite move_not_into_where;
const Rewrite move_not_into_where = {.name = "move-not-into-where",
                                     .summary = "swaps the branches of a Where instead of negating its condition",
                                     .exactness = Exactness::kExact,
                                     .group = "arithmetic",
                                     .roots = kMoveNotIntoWhereRoots,
                                     .apply = apply_move_not_into_where};

}  // namespace onnxpress::passes
