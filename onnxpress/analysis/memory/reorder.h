// Finds an order of nodes with a lower memory peak.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxpress/analysis/memory/activations.h"

namespace onnxpress::analysis {

struct NodeOrderFound {
  std::vector<Node*> nodes;  // a topological order of all nodes of the graph
  bool is_optimal = false;   // no order has a lower peak, within the model of views and in-place results
};

// The optimal order for small graphs; for large ones the best that a beam search finds. Empty if it is not better than
// the present order. Bodies keep their order.
NodeOrderFound order_with_lower_peak(const Facts& facts, const Graph& graph, const ActivationOptions& options);

}  // namespace onnxpress::analysis
