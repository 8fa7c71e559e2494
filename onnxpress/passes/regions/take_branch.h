// Replaces an If by one of its branches.
#pragma once

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Returns false, and changes nothing, when there is no such branch or it cannot be moved.
bool take_branch(Node& node, bool condition, Rewriter& rw);

}  // namespace onnxpress::passes
