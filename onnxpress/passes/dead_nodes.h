// Which nodes may be removed when nothing reads their results.
#pragma once

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

// Does the node do nothing but compute its results? An op that we do not know may print, or count, or wait; so may a
// function that calls one, and a body that has one.
bool only_computes(const Node& node, const analysis::OpResolver& ops);

}  // namespace onnxpress::passes
