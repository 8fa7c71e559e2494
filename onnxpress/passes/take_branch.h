// Replaces an If by one of its branches.
#pragma once

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// False, and nothing done, when the branch is not there or cannot be moved.
bool take_branch(Node& node, bool condition, Rewriter& rw);

}  // namespace onnxpress::passes
