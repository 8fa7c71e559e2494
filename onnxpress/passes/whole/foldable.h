// Which nodes fold-constants may replace by constants, whatever these cost.
#pragma once

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Whether all used results are the same in every run, and nothing else forbids to compute them in advance.
bool is_foldable(const Node& node, const Rewriter& rw);

}  // namespace onnxpress::passes
