// Which nodes may be removed when nothing reads their results.
#pragma once

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

// Whether the node does nothing but compute its results. An unknown op may have side effects (print, count, wait), and
// so may a function or body that contains one.
bool only_computes(const Node& node, const analysis::OpResolver& ops);

}  // namespace onnxpress::passes
