// Merges the constants of a Min or Max, and those of the Min or Max before it, into one.
//
//   before: y = Min(Min(x, a, b), c)   with constants a, b and c; or Min(x, a, b)
//   after:  y = Min(x, d)              where d = Min(a, b, c)
//
// The new constant must be no larger than the others together, and all must be finite, because runtimes make different
// things of NaN.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// Nullopt if the constant is unknown or not finite.
std::optional<std::uint64_t> finite_elements(const Value* value, const Rewriter& rw) {
  const auto array = rw.constant(value);
  if (!array || array->is_string()) return std::nullopt;
  if (is_float(array->type()) && !ops::Fact::of(*array).range.finite) return std::nullopt;
  return array->count();
}

struct Extremes {
  std::vector<Value*> varying, constants;

  void add(const Node& node, const Value* except, const Rewriter& rw) {
    for (const Use& use : node.inputs()) {
      if (use.value() != except) (rw.is_constant(use.value()) ? constants : varying).push_back(use.value());
    }
  }
};

// The Min or Max that this one is applied to and that has a constant; null if there is none.
const Node* inner_of(const Node& node, const Rewriter& rw) {
  for (const Use& use : node.inputs()) {
    const Node* inner = rw.sole_producer(use.value(), node.op_type());
    const auto is_constant = [&rw](const Use& each) { return rw.is_constant(each.value()); };
    if (inner && std::ranges::any_of(inner->inputs(), is_constant)) return inner;
  }
  return nullptr;
}

bool apply_merge_min_max(Node& node, Rewriter& rw) {
  Extremes found;
  const Node* inner = inner_of(node, rw);
  found.add(node, inner ? inner->output() : nullptr, rw);
  if (inner && !found.constants.empty()) found.add(*inner, nullptr, rw);
  if (found.constants.size() < 2 || found.varying.empty()) return false;
  std::uint64_t elements = 0;
  for (const Value* each : found.constants) {
    const auto count = finite_elements(each, rw);
    if (!count) return false;
    elements += *count;
  }
  Value* merged = rw.make(node.op_type(), found.constants);
  const auto array = rw.is_constant(merged) ? rw.constant(merged) : std::nullopt;
  if (!array || array->count() > elements) return false;
  found.varying.push_back(merged);
  return rw.replace(node, rw.make(node.op_type(), found.varying));
}

constexpr std::string_view kMergeMinMaxRoots[] = {"Max", "Min"};

}  // namespace

extern const Rewrite merge_min_max;
const Rewrite merge_min_max = {.name = "merge-min-max",
                               .summary = "merges the constants of nested Min, or Max, into one",
                               .exactness = Exactness::kReassociates,
                               .group = "arithmetic",
                               .roots = kMergeMinMaxRoots,
                               .apply = apply_merge_min_max};

}  // namespace onnxpress::passes
