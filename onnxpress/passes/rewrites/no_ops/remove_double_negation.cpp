// Removes two ops that undo each other.
//
//   before: y = Neg(Neg(x))   or Not(Not(x)), BitwiseNot(BitwiseNot(x))
//   after:  readers of y read x
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_double_negation(Node& node, Rewriter& rw) {
  Node* first = rw.producer(node.input(0), node.op_type());
  return first && rw.replace(node, first->input(0));
}

constexpr std::string_view kRemoveDoubleNegationRoots[] = {"Neg", "Not", "BitwiseNot"};

}  // namespace

extern const Rewrite remove_double_negation;
const Rewrite remove_double_negation = {.name = "remove-double-negation",
                                        .summary = "removes Neg(Neg(x)) and the like",
                                        .exactness = Exactness::kExact,
                                        .group = "no_ops",
                                        .roots = kRemoveDoubleNegationRoots,
                                        .apply = apply_remove_double_negation};

}  // namespace onnxpress::passes
