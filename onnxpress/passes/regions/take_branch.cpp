// Moves the branch out; a result that is a constant or an outer value gets an Identity if it is an output of the graph.
#include "onnxpress/passes/regions/take_branch.h"

#include "onnxpress/passes/regions/inline_branch.h"

namespace onnxpress::passes {

namespace {

// Whether a result has another rank than its graph output declares. Checkers accept that while it comes out of a
// branch, but not afterwards.
bool shows_another_rank(const Node& node, const Graph& branch, const Rewriter& rw) {
  for (std::size_t i = 0; i < node.output_count() && i < branch.outputs().size(); ++i) {
    const auto shape = rw.shape_of(branch.outputs()[i]->value);
    if (node.output(i) && shape && !rw.declares_rank_of(*node.output(i), *shape)) return true;
  }
  return false;
}

}  // namespace

bool take_branch(Node& node, bool condition, Rewriter& rw) {
  Graph* branch = branch_of(node, condition);
  if (!branch || shows_another_rank(node, *branch, rw)) return false;
  const std::vector<Value*> results = move_out(rw.model(), *branch);
  std::vector<Value*> copies;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value* output = node.output(i);
    if (!output || !output->is_used()) continue;
    // An output of the graph must keep its name, which the result cannot take over while it belongs to the branch.
    Value* with = output->is_output() ? rw.make("Identity", {results[i]}) : results[i];
    if (output->is_output()) copies.push_back(with);
    rw.replace_same(output, with);
  }
  if (!node.erased()) node.graph()->erase(node);  // replacing an output may have erased it
  for (Value* copy : copies) {
    Node* identity = copy ? rw.producer(copy, "Identity") : nullptr;
    if (identity) rw.replace(*identity, identity->input(0));
  }
  return true;
}

}  // namespace onnxpress::passes
