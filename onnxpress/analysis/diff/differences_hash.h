// Hashes that are equal for nodes that do the same, regardless of their names; internal to analysis/differences*.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

struct NodeHashes {
  // Op type, domain and attributes that differ from their defaults. Large tensors count only with type and shape.
  std::uint64_t op = 0;
  std::uint64_t upstream = 0;    // the node and everything it is computed from
  std::uint64_t downstream = 0;  // the node and everything that is computed from it
};

// Hashes all nodes of `graph` (not of its bodies) into `hashes`, by node id. `token` identifies values from outside and
// graph inputs: it returns the same number for partners on both sides.
void hash_nodes(const Graph& graph, const OpResolver& ops, const std::function<std::uint64_t(const Value&)>& token,
                std::vector<NodeHashes>& hashes);

// Does a node without the attribute do the same as one that has it? Decided by the schema of the op of `node`.
bool goes_without(const Node& node, const Attribute& attribute, const OpResolver& ops);

std::uint64_t hash_text(std::string_view text);

}  // namespace onnxpress::analysis
