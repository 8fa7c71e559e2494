// What a model loses when a node is removed, including nodes and constants that only it needs.
#pragma once

#include <cstdint>

#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

struct Freed {
  std::uint64_t bytes = 0;  // of the file; those of nodes are estimated, and never too many
  std::size_t nodes = 0;
};
// The node itself, the nodes that only it needs, and the constants that only they read.
Freed freed_with(const Node& node);
inline std::uint64_t freed_bytes(const Node& node) { return freed_with(node).bytes; }

}  // namespace onnxpress::passes
