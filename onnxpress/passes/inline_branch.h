// Replaces an If by the nodes of one of its branches.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// For a condition that is known. False, and nothing changed, when the node is no If with both bodies, or when the
// branch holds nodes that have bodies themselves: inline those first.
bool inline_branch(Model& model, Node& node, bool condition);

}  // namespace onnxpress::passes
