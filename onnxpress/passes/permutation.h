// Orders of axes, as Transpose takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

using Permutation = std::vector<std::int64_t>;

// The order of a Transpose: its `perm`, or all axes reversed. nullopt when it is none, or the rank is not known.
// `rank`: if somebody else knows it.
std::optional<Permutation> perm_of(const Node& transpose, const Rewriter& rw, std::optional<std::size_t> rank = {});
Permutation inverse(const Permutation& perm);
// First `first`, then `second`.
Permutation composed(const Permutation& first, const Permutation& second);
bool moves_nothing(const Permutation& perm);

}  // namespace onnxpress::passes
