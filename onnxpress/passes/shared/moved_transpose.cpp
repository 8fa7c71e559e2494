// A Transpose can move past elementwise ops, Concat and Softmax.
#include "onnxpress/passes/shared/moved_transpose.h"

#include <algorithm>

namespace onnxpress::passes {

namespace {

bool is_pointwise(const Node& node, const Rewriter& rw) {
  const ops::Op* op = rw.op_of(node);
  return op && op->has(ops::kElementwise) && node.output_count() == 1 && !node.attribute("broadcast") &&
         !node.is("PRelu");  // old versions take one number per channel
}

}  // namespace

bool works_along_axis(const Node& node, const Rewriter& rw) {
  if (rw.is(node, "Concat")) return true;
  const bool is_softmax = rw.is(node, "Softmax") || rw.is(node, "LogSoftmax");
  return is_softmax && rw.op_of(node)->schema->attribute("axis")->default_text == "-1";
}

Value* before_transpose(Value* value, const Permutation& perm, Rewriter& rw, bool dry) {
  if (Node* transpose = rw.producer(value, "Transpose"))
    return perm_of(*transpose, rw) == perm ? transpose->input(0) : nullptr;
  const auto shape = rw.shape_of(value);
  if (!shape || !rw.is_constant(value) || shape->size() > perm.size()) return nullptr;
  const bool is_one = std::ranges::all_of(*shape, [](Dim dim) { return dim.size() == 1; });
  if (is_one || dry) return value;
  std::vector<std::int64_t> dims(perm.size() - shape->size(), 1);
  for (const Dim dim : *shape) dims.push_back(dim.size().value_or(0));
  Value* made = rw.make("Transpose", {rw.reshaped(value, dims)}, {{"perm", inverse(perm)}});
  return rw.is_constant(made) ? made : nullptr;
}

bool can_pass(const Node& node, const Value* moved, const Permutation& perm, Rewriter& rw) {
  const auto shape = rw.shape_of(node.output());
  if (!shape || shape->size() != perm.size()) return false;
  if (works_along_axis(node, rw)) {
    const auto axis = rw.params(node).integer("axis");
    if (!axis || !ops::normal_axis(*axis, perm.size())) return false;
  } else if (!is_pointwise(node, rw) || !rw.same_shape(moved, node.output())) {
    return false;
  }
  return std::ranges::all_of(node.inputs(), [&](const Use& use) {
    return use.value() == moved || (use.value() && before_transpose(use.value(), perm, rw, true));
  });
}

}  // namespace onnxpress::passes
