// Chooses where to cut a sequence of nodes into parts of about equal cost, with little data at the cuts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace onnxpress::tasks {

// `cost[i]` is that of node i; `data[i]` are the bytes that nodes before i hand to nodes from i on (data[0] is not
// used). The answer are parts - 1 positions, ascending: a part begins at each. The largest part costs at most a tenth
// more than in the most balanced cut there is; among those cuts it is the one with the least data. There are at least
// as many nodes as parts.
std::vector<std::size_t> choose_cuts(std::span<const std::uint64_t> cost, std::span<const std::uint64_t> data,
                                     std::size_t parts);

}  // namespace onnxpress::tasks
