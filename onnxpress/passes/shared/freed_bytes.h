// How many bytes a file saves when a node is removed, including nodes and constants that only it needs.
#pragma once

#include <cstdint>

#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

// Approximate bytes that the file loses when the node is removed: the node itself, the nodes that only it needs, and
// the constants that only they read.
std::uint64_t freed_bytes(const Node& node);

}  // namespace onnxpress::passes
