// The branch moves out; a result that is a constant or an outer value gets an Identity where it is an output of the
// graph.
#include "onnxpress/passes/take_branch.h"

#include "onnxpress/passes/move_body.h"

namespace onnxpress::passes {

bool take_branch(Node& node, bool condition, Rewriter& rw) {
  Graph* body = rw.params(node).graph(condition ? "then_branch" : "else_branch");
  if (!body || body->outputs().size() != node.output_count() || !body->sparse_initializers().empty()) return false;
  move_body_out(rw.model(), *body, node);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value* output = node.output(i);
    if (!output || !output->is_used()) continue;
    Value* with = body->outputs()[i]->value;
    // An output of the graph keeps its name: a value that has one of its own, or two names to carry, is copied.
    if (output->is_output()) with = rw.make("Identity", {with});
    rw.replace_value(output, with);
  }
  if (!node.erased()) node.graph()->erase(node);  // an output that needs an Identity takes the node with it
  return true;
}

}  // namespace onnxpress::passes
