// Replaces an If whose condition is known by the branch that is taken.
//
//   before: y = If(true) <then_branch = {t = Relu(x) => t}, else_branch = ...>
//   after:  y = Relu(x)
#include "onnxpress/passes/regions/take_branch.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

bool apply_inline_if(Node& node, Rewriter& rw) {
  const auto condition = rw.constant(node.input(0));
  const auto taken = condition && condition->count() == 1 ? condition->integers() : std::nullopt;
  return taken && take_branch(node, taken->front() != 0, rw);
}

constexpr std::string_view kInlineIfRoots[] = {"If"};

}  // namespace

extern const Rewrite inline_if;
const Rewrite inline_if = {.name = "inline-if",
                           .summary = "replaces an If whose condition is known by the branch that is taken",
                           .exactness = Exactness::kExact,
                           .group = "control_flow",
                           .roots = kInlineIfRoots,
                           .apply = apply_inline_if};

}  // namespace onnxpress::passes
