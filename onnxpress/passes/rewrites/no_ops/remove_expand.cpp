// Removes an Expand before an op that broadcasts anyway.
//
//   before: y = Add(Expand(x, s), z)
//   after:  y = Add(x, z)
//
// Every dim of the result must still be that of an operand: of another one, or of x itself.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// Whether an operand of this shape has this size at the dim that is `from_end` places from the end.
bool gives(const std::optional<ops::Shape>& shape, Dim size, std::size_t from_end, Rewriter& rw) {
  return shape && from_end <= shape->size() && rw.dims().equal((*shape)[shape->size() - from_end], size);
}

bool apply_remove_expand(Node& node, Rewriter& rw) {
  const ops::Op* op = rw.op_of(node);
  const auto result = rw.shape_of(node.output());
  if (!op || !op->has(ops::kElementwise) || node.input_count() < 2 || !result) return false;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    Node* expand = rw.producer(node.input(i), "Expand");
    if (!expand) continue;
    bool kept = true;
    for (std::size_t from_end = 1; from_end <= result->size() && kept; ++from_end) {
      const Dim size = (*result)[result->size() - from_end];
      kept = gives(rw.shape_of(expand->input(0)), size, from_end, rw);
      for (std::size_t j = 0; j < node.input_count(); ++j)
        kept = kept || (j != i && gives(rw.shape_of(node.input(j)), size, from_end, rw));
    }
    if (kept && rw.set_input(node, i, expand->input(0))) return true;
  }
  return false;
}

constexpr std::string_view kRemoveExpandRoots[] = {
    "Add", "Sub", "Mul", "Div", "Pow", "Where", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual",
    "And", "Or",  "Xor", "Min", "Max", "Mod"};

}  // namespace

extern const Rewrite remove_expand;
const Rewrite remove_expand = {.name = "remove-expand",
                               .summary = "removes an Expand before an op that broadcasts anyway",
                               .exactness = Exactness::kExact,
                               .group = "no_ops",
                               .roots = kRemoveExpandRoots,
                               .apply = apply_remove_expand};

}  // namespace onnxpress::passes
