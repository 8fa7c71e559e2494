// Finds nodes without side effects.
#include "onnxpress/passes/whole/dead_nodes.h"

namespace onnxpress::passes {

bool only_computes(const Node& node, const analysis::OpResolver& ops) {
  if (!ops.plain_op_of(node)) return false;
  bool known = true;
  for (const Attribute* attribute : node.attributes()) {
    for_each_graph_in(*attribute, [&](const Graph& body) {
      for (const Node& inner : body.nodes()) known = known && only_computes(inner, ops);
    });
  }
  return known;
}

}  // namespace onnxpress::passes
