// Puts the branch that is taken in the place of an If whose condition is known.
//
//   before: y = If(true) <then_branch = {t = Relu(x) => t}, else_branch = ...>
//   after:  y = Relu(x)
//
// Nodes of the branch move out in their order; names of its values are free to be chosen anew, since the same name may
// stand outside. A result that is a constant or an outer value gets an Identity where it is an output of the graph.
#include "onnxpress/passes/inline_branch.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply(Node& node, Rewriter& rw) {
  const auto condition = rw.constant(node.input(0));
  const auto taken = condition && condition->count() == 1 ? condition->integers() : std::nullopt;
  Graph* branch = taken ? branch_of(node, taken->front() != 0) : nullptr;
  if (!branch) return false;
  const std::vector<Value*> results = move_out(rw.model(), *branch);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value* output = node.output(i);
    if (!output || !output->is_used()) continue;
    // An output of the graph keeps its name: a value that has one of its own, or two names to carry, is copied.
    Value* with = output->is_output() ? rw.make("Identity", {results[i]}) : results[i];
    rw.replace_value(output, with);
  }
  if (!node.erased()) node.graph()->erase(node);  // an output that needs an Identity takes the node with it
  return true;
}

constexpr std::string_view kRoots[] = {"If"};

}  // namespace

extern const Rewrite inline_if;
const Rewrite inline_if = {.name = "inline-if",
                           .summary = "replaces an If whose condition is known by the branch that is taken",
                           .exactness = Exactness::kExact,
                           .group = "control flow",
                           .roots = kRoots,
                           .apply = apply};

}  // namespace onnxpress::passes
