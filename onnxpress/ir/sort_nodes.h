// Puts the nodes of a graph in topological order.
#pragma once

#include "onnxpress/ir/graph.h"

namespace onnxpress {

enum class NodeOrder { kWasSorted, kSortedNow, kCycle };

// Puts every node after the nodes whose values it or one of its bodies reads; otherwise the order stays (stable sort).
// If there is a cycle, nothing is moved. Does not count as a change of the graph. Linear if the nodes are sorted
// already.
NodeOrder sort_nodes(Graph& graph);

// False if nodes were moved after they were read: then the graph must be marked as changed to be written in its new
// order, because an unchanged graph is copied from its file.
bool is_in_order_of_file(const Graph& graph);

}  // namespace onnxpress
