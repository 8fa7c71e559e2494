// Captured values: values that the bodies of a node read from the graphs around them.
#pragma once

#include <vector>

#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

// Calls `visit(Value&)` for each value that the node reads: its operands, and everything that its bodies, at any depth,
// read or return. A value may be visited more than once; values that belong to a body are visited, too (see
// Value::graph()).
template <typename Visit>
void for_each_value_read(const Node& node, Visit&& visit) {
  for (const Use& use : node.inputs()) {
    if (use.value()) visit(*use.value());
  }
  for (const Attribute* attribute : node.attributes()) {
    for_each_graph_in(*attribute, [&visit](Graph& body) {
      for_each_graph(body, [&visit](Graph& inner) {
        for (const Node& each : inner.nodes()) {
          for (const Use& use : each.inputs()) {
            if (use.value()) visit(*use.value());
          }
        }
        for (const ValueInfo* output : inner.outputs()) visit(*output->value);
      });
    });
  }
}

// The values of outer graphs that the body, or a body inside it, reads or returns: each once, in the order of first
// use.
std::vector<Value*> captured_values(const Graph& body);

}  // namespace onnxpress::analysis
