// The work that training adds to a run: multiply-adds of the gradients.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/report/field_lists/profile.h"

namespace onnxpress {

// Multiply-adds of the gradients of all float weights: each operand of a product that has a gradient takes as many as
// the product itself. Nodes before the first weights have none. nullopt when some work is not known. `rows` are the
// nodes of `list`.
std::optional<std::uint64_t> backward_macs(const analysis::Facts& facts, const std::vector<const Node*>& rows,
                                           const std::vector<NodeProfile>& list);

}  // namespace onnxpress
