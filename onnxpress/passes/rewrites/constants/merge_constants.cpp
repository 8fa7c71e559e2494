// Merges constants that are added or multiplied one after another.
//
//   before: y = Mul(Mul(x, 2), 3)   or Add(Add(x, a), b), Div(Mul(x, a), b)
//   after:  y = Mul(x, 6)
//
// The new constant must be no larger than both together. Floats only, which round but do not wrap. Constants of Gelu,
// HardSwish and HardSigmoid stay: with another number there, nobody finds these.
#include "onnxpress/base/error.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/activations.h"

namespace onnxpress::passes {

namespace {

// The operands of a node, of which `c` is the constant one; both null when there is none.
struct Half {
  Value *x = nullptr, *c = nullptr;
};

Half halves(const Node& node, bool either_side, const Rewriter& rw) {
  if (rw.is_constant(node.input(1))) return {node.input(0), node.input(1)};
  if (either_side && rw.is_constant(node.input(0))) return {node.input(1), node.input(0)};
  return {};
}

std::uint64_t elements(const Value* value, const Rewriter& rw) {
  std::uint64_t count = 1;
  for (const Dim dim : rw.shape_of(value).value_or(ops::Shape()))
    count *= static_cast<std::uint64_t>(dim.size().value_or(1 << 20));
  return count;
}

bool apply_merge_constants(Node& node, Rewriter& rw) {
  const bool sums = node.is("Add") || node.is("Sub");
  const std::string_view plus = sums ? "Add" : "Mul", minus = sums ? "Sub" : "Div";
  const Half outer = halves(node, node.is(plus), rw);
  if (!outer.c || !is_float(rw.element_of(outer.c))) return false;
  Node* first = rw.sole_producer(outer.x, plus);
  if (!first) first = rw.sole_producer(outer.x, minus);
  const Half inner = first ? halves(*first, first->is(plus), rw) : Half();
  if (!inner.c || rw.is_constant(inner.x)) return false;
  if (ends_activation(*first, rw) || begins_activation(node, rw))
    return rw.refuse("one of the constants belongs to a Gelu, HardSwish or HardSigmoid of several nodes");
  // x (+ or -) inner (+ or -) outer becomes x (inner's sign) (inner (+ or -) outer): plus if both signs are equal.
  if (!node.attributes().empty() || !first->attributes().empty()) return false;  // old broadcasting rules
  const bool same_sign = first->op_type() == node.op_type();
  Value* c = rw.make(same_sign ? plus : minus, {inner.c, outer.c});
  if (!rw.is_constant(c)) return false;
  if (elements(c, rw) > elements(inner.c, rw) + elements(outer.c, rw))
    return rw.refuse("the merged constant would be larger than {} and {} together", quote_name(inner.c->name()),
                     quote_name(outer.c->name()));
  // The merged constant must not overflow or become 0, because then the two steps may give another result.
  const auto range = ops::Fact::of(*rw.constant(c)).range;
  if (!range.finite || (!sums && range.low <= 0 && range.high >= 0))
    return rw.refuse("the merged constant would be 0 or not finite, so that numbers overflow at another place");
  return rw.replace(node, rw.make(first->op_type(), {inner.x, c}));
}

constexpr std::string_view kMergeConstantsRoots[] = {"Add", "Sub", "Mul", "Div"};

}  // namespace

extern const Rewrite merge_constants;
const Rewrite merge_constants = {.name = "merge-constants",
                                 .summary = "merges constants that are added or multiplied one after another",
                                 .exactness = Exactness::kReassociates,
                                 .group = "constants",
                                 .roots = kMergeConstantsRoots,
                                 .apply = apply_merge_constants};

}  // namespace onnxpress::passes
