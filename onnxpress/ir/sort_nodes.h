// Puts the nodes of a graph in topological order.
#pragma once

#include "onnxpress/ir/graph.h"

namespace onnxpress {

enum class NodeOrder { kWasSorted, kSortedNow, kCycle };

// Every node after the nodes whose values it reads, in itself or in its bodies; otherwise the order stays as it was
// (stable). With a cycle nothing is moved. Does not count as a change of the graph. Linear.
NodeOrder sort_nodes(Graph& graph);

}  // namespace onnxpress
