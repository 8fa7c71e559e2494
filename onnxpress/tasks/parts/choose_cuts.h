// Chooses where to cut a sequence of nodes into parts of about equal cost, with little data at the cuts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace onnxpress {

// `cost[i]` is the cost of node i; `data[i]` is the number of bytes that nodes before i pass to nodes from i on
// (data[0] is not used). Returns parts - 1 ascending positions at which a part begins. Among all cuts whose largest
// part costs at most 10 % more than in the most balanced cut, it chooses the one with the least data. There must be at
// least as many nodes as parts.
std::vector<std::size_t> choose_cuts(std::span<const std::uint64_t> cost, std::span<const std::uint64_t> data,
                                     std::size_t parts);

}  // namespace onnxpress
