// Moves a Transpose behind the ops that read it, where another Transpose undoes it or can be shared.
//
//   before: y = Transpose(Relu(Transpose(x, perm = p)), perm = inverse of p)
//   after:  y = Relu(x)
//
//   before: y = Add(Transpose(a, perm = p), Transpose(b, perm = p))
//   after:  y = Transpose(Add(a, b), perm = p)
//
// Through ops on single elements (constants are permuted instead), and through Concat and Softmax, whose axis is
// renamed. Only where it pays: the way ends at a Transpose that becomes none, or two become one.
#include <algorithm>

#include "onnxpress/passes/copy_with.h"
#include "onnxpress/passes/permutation.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

constexpr int kFarthest = 24;  // ops that a Transpose may have to pass

// An op that works along one axis and leaves the others alone. (Old versions of Softmax flatten.)
bool has_axis(const Node& node, const Rewriter& rw) {
  if (node.is("Concat")) return true;
  const bool is_softmax = node.is("Softmax") || node.is("LogSoftmax");
  return is_softmax && rw.op_of(node)->schema->attribute("axis")->default_text == "-1";
}

bool is_pointwise(const Node& node, const Rewriter& rw) {
  const ops::Op* op = rw.op_of(node);
  return op && op->has(ops::kElementwise) && node.output_count() == 1 && !node.attribute("broadcast") &&
         !node.is("PRelu");  // old versions take a list for the channels
}

// The value without the Transpose by `perm`: what it reads, or a constant in the old order. Null: neither.
// `dry`: only whether there is one.
Value* unmoved(Value* value, const Permutation& perm, Rewriter& rw, bool dry) {
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

// Can it go behind `node`, which reads it? Its result then has every axis moved, as before.
bool can_pass(const Node& node, const Value* moved, const Permutation& perm, Rewriter& rw) {
  const auto shape = rw.shape_of(node.output());
  if (!shape || shape->size() != perm.size()) return false;
  if (has_axis(node, rw)) {
    const auto axis = rw.params(node).integer("axis");
    if (!axis || !ops::normal_axis(*axis, perm.size())) return false;
  } else if (!is_pointwise(node, rw) || !rw.same_shape(moved, node.output())) {
    return false;
  }
  return std::ranges::all_of(node.inputs(), [&](const Use& use) {
    return use.value() == moved || (use.value() && unmoved(use.value(), perm, rw, true));
  });
}

// Another operand that the same Transpose makes: two become one.
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
    if (!use || use->next() || moved->is_output() || use->user()->graph() != transpose.graph()) return false;
    const Node& user = *use->user();
    if (passed > 0 && rw.is(user, "Transpose")) return perm_of(user, rw) == inverse(perm);
    if (!can_pass(user, moved, perm, rw)) return false;
    if (shares(user, moved, perm, rw)) return true;
    moved = user.output();
  }
  return false;
}

bool apply_sink_transposes(Node& transpose, Rewriter& rw) {
  const auto perm = perm_of(transpose, rw);
  if (!perm || !pays(transpose, *perm, rw)) return false;
  Node& user = *transpose.output()->first_use()->user();
  rw.insert_before(user);
  std::vector<Value*> operands;
  for (const Use& use : user.inputs()) operands.push_back(unmoved(use.value(), *perm, rw, false));
  if (std::ranges::find(operands, nullptr) != operands.end()) return false;
  Node* copy = copy_with(user, operands);
  if (has_axis(user, rw)) {
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
    .summary = "moves a Transpose behind the ops that read it, where another one undoes it",
    .exactness = Exactness::kExact,
    .group = "shapes",
    .roots = kSinkTransposesRoots,
    .apply = apply_sink_transposes};

}  // namespace onnxpress::passes
