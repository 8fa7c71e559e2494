// Takes the only branch of an If that can work: the result of the other has a rank that its readers do not accept.
//
//   before: s = If(Equal(Gather(Shape(x), [1]), 1)) <then_branch = {Squeeze(x, [1])}, else_branch = {Identity(x)}>
//           y = LSTM(Unsqueeze(s, [0]), w, r)   with x of three dims
//   after:  s = Squeeze(x, [1])
//
// PyTorch exports squeeze() as such an If. LSTM takes three dims, so s must have two, but Identity would give it three,
// and the model would fail. So if the model runs at all, it takes the other branch.
#include "onnxpress/passes/regions/take_branch.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/possible_ranks.h"

namespace onnxpress::passes {

namespace {

// Whether the branch can give every result the rank that its readers need.
bool can_be_taken(const Node& node, std::string_view branch, const Rewriter& rw) {
  const Graph* body = rw.params(node).graph(branch);
  if (!body || body->outputs().size() != node.output_count()) return true;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    const auto needed = node.output(i) ? needed_rank(*node.output(i), rw) : std::nullopt;
    if (needed && !possible_ranks(*body->outputs()[i]->value, rw).contains(*needed)) return false;
  }
  return true;
}

bool apply_drop_impossible_branch(Node& node, Rewriter& rw) {
  const bool first = can_be_taken(node, "then_branch", rw), second = can_be_taken(node, "else_branch", rw);
  return (first != second || rw.refuse("both branches give ranks that the readers of the results take")) &&
         take_branch(node, first, rw);
}

constexpr std::string_view kDropImpossibleBranchRoots[] = {"If"};

}  // namespace

extern const Rewrite drop_impossible_branch;
const Rewrite drop_impossible_branch = {
    .name = "drop-impossible-branch",
    .summary = "takes the only branch of an If whose result has a rank that its readers accept",
    .exactness = Exactness::kExact,
    .group = "control_flow",
    .roots = kDropImpossibleBranchRoots,
    .apply = apply_drop_impossible_branch};

}  // namespace onnxpress::passes
