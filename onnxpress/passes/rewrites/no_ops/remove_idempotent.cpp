// Removes one of two equal consecutive ops if the second has no effect.
//
//   before: y = Relu(Relu(x))
//   after:  y = Relu(x)
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_idempotent(Node& node, Rewriter& rw) {
  Node* first = rw.producer(node.input(0), node.op_type());
  if (!first || first->attributes().size() + node.attributes().size() > 0 || first->input_count() != 1 ||
      node.input_count() != 1)
    return false;
  const ops::Op* op = rw.op_of(node);
  if (!op || !op->has(ops::kIdempotent)) return false;
  return rw.replace(node, first->output());
}

constexpr std::string_view kRemoveIdempotentRoots[] = {"Abs", "Relu", "Ceil", "Floor", "Round", "Sign"};

}  // namespace

extern const Rewrite remove_idempotent;
const Rewrite remove_idempotent = {.name = "remove-idempotent",
                                   .summary = "removes the second of two equal ops if it does nothing",
                                   .exactness = Exactness::kExact,
                                   .group = "no_ops",
                                   .roots = kRemoveIdempotentRoots,
                                   .apply = apply_remove_idempotent};

}  // namespace onnxpress::passes
