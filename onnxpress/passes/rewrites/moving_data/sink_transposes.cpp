// Moves a Transpose after the ops that read it, if another Transpose undoes it there or two can be merged.
//
//   before: y = Transpose(Relu(Transpose(x, perm = p)), perm = inverse of p)
//   after:  y = Relu(x)
//
//   before: y = Add(Transpose(a, perm = p), Transpose(b, perm = p))
//   after:  y = Transpose(Add(a, b), perm = p)
//
// It moves through elementwise ops (constants are permuted instead), and through Concat and Softmax, whose axis is
// renumbered. Only if that saves a Transpose: the path ends at a Transpose that disappears, or two become one.
#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/copy_with.h"
#include "onnxpress/passes/shared/moved_transpose.h"

namespace onnxpress::passes {

namespace {

constexpr int kFarthest = 24;  // the most ops that a Transpose moves past

// Whether another operand comes from a Transpose with the same perm, so that two Transposes become one.
bool shares(const Node& node, const Value* moved, const Permutation& perm, const Rewriter& rw) {
  return std::ranges::any_of(node.inputs(), [&](const Use& use) {
    if (use.value() == moved) return false;
    const Node* other = rw.producer(use.value(), "Transpose");
    return other && perm_of(*other, rw) == perm;
  });
}

bool pays(const Node& transpose, const Permutation& perm, Rewriter& rw) {
  const Value* moved = transpose.output();
  for (int passed = 0; passed < kFarthest; ++passed) {
    const Use* use = moved->first_use();
    if (!use || use->next() || moved->is_output() || use->user()->graph() != transpose.graph())
      return rw.refuse("{} has other readers than one node of the same graph", quote_name(moved->name()));
    const Node& user = *use->user();
    if (passed > 0 && rw.is(user, "Transpose"))
      return perm_of(user, rw) == inverse(perm) || rw.refuse("the next Transpose does not undo it");
    if (!can_pass(user, moved, perm, rw)) return rw.refuse("it cannot move past {}", user.op_type());
    if (shares(user, moved, perm, rw)) return true;
    moved = user.output();
  }
  return rw.refuse("no other Transpose follows within {} nodes", kFarthest);
}

bool apply_sink_transposes(Node& transpose, Rewriter& rw) {
  const auto perm = perm_of(transpose, rw);
  if (!perm || !pays(transpose, *perm, rw)) return false;
  Node& user = *transpose.output()->first_use()->user();
  rw.insert_before(user);
  std::vector<Value*> operands;
  for (const Use& use : user.inputs()) operands.push_back(before_transpose(use.value(), *perm, rw, false));
  if (std::ranges::find(operands, nullptr) != operands.end()) return false;
  Node* copy = copy_with(user, operands);
  if (works_along_axis(user, rw)) {
    const auto axis = ops::normal_axis(*rw.params(user).integer("axis"), perm->size());
    rw.set_parameter(*copy, {"axis", (*perm)[*axis]});
  }
  return rw.replace(user, rw.make("Transpose", {copy->output()}, {{"perm", *perm}}));
}

constexpr std::string_view kSinkTransposesRoots[] = {"Transpose"};

}  // namespace

extern const Rewrite sink_transposes;
const Rewrite sink_transposes = {
    .name = "sink-transposes",
    .summary = "moves a Transpose after the ops that read it, if another one undoes it there",
    .exactness = Exactness::kExact,
    .group = "moving_data",
    .roots = kSinkTransposesRoots,
    .apply = apply_sink_transposes};

}  // namespace onnxpress::passes
