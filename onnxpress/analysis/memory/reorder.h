// Finds an order of nodes with a lower memory peak.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxpress/analysis/memory/activations.h"

namespace onnxpress::analysis {

struct NodeOrderFound {
  std::vector<Node*> nodes;  // a topological order of all nodes of the graph
  bool is_optimal = false;   // no order has a lower peak, as far as views and work in place are modelled
};

// Small graphs: the best order there is. Large ones: the best that a search over the most promising beginnings finds.
// What is not better than the present order is not returned (empty). Bodies stay as they are.
NodeOrderFound order_with_lower_peak(const Facts& facts, const Graph& graph, const ActivationOptions& options);

}  // namespace onnxpress::analysis
