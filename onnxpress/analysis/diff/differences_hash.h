// Hashes that are equal for nodes that do the same, regardless of their names; internal to analysis/differences*.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

struct NodeHashes {
  // Op type, domain and attributes other than defaults; of tensors and bodies only what they look like.
  std::uint64_t op = 0;
  std::uint64_t upstream = 0;    // the node and everything it is computed from
  std::uint64_t downstream = 0;  // the node and everything that is computed from it
};

// Of all nodes of `graph` (not of bodies), by node id into `hashes`. `token` names values that come from outside or are
// graph inputs: the same number for partners on both sides.
void hash_nodes(const Graph& graph, const OpResolver& ops, const std::function<std::uint64_t(const Value&)>& token,
                std::vector<NodeHashes>& hashes);

// Does a node without the attribute do the same as one that has it? By the schema of the op that `node` means.
bool goes_without(const Node& node, const Attribute& attribute, const OpResolver& ops);

std::uint64_t hash_text(std::string_view text);

}  // namespace onnxpress::analysis
