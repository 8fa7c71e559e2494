// Bodies of If, Loop and Scan in the shape engine: the names of their values, and when these are alive.
#pragma once

#include <string>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/shapes/shapes.h"

namespace onnxpress {

// The main graph, or a body. The names of a body's values are prefixed with the first result of the node that has it
// and the attribute: "y.then_branch/". Both branches of an If may use a name, and the names of results survive when
// nodes are removed.
struct EngineGraph {
  Graph* graph = nullptr;
  std::string prefix;
};
// The main graph first, then bodies, outer before inner.
std::vector<EngineGraph> engine_graphs(const Model& model);

// When each value lives, counted in nodes of the compute graph. The nodes of a body come right before the node that has
// it, so a body shares no memory with what that node reads, and the branches of an If share theirs.
void find_lifetimes(const Model& compute_graph, std::vector<EngineValue>& values);

}  // namespace onnxpress
