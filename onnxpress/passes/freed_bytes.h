// What goes with a node.
#pragma once

#include <cstdint>

#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

// Bytes that the file loses, about, when the node goes: the node itself, the nodes that only it needs, and the
// constants that only they read.
std::uint64_t freed_bytes(const Node& node);

}  // namespace onnxpress::passes
