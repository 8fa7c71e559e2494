// Orders of axes, as Transpose takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

using Permutation = std::vector<std::int64_t>;

// The order of a Transpose: its `perm`, or all axes reversed. nullopt when `perm` is not a permutation, or the rank is
// not known. `rank`: the rank, if the caller knows it.
std::optional<Permutation> perm_of(const Node& transpose, const Rewriter& rw, std::optional<std::size_t> rank = {});
Permutation inverse(const Permutation& perm);
// The permutation that applies `first`, then `second`.
Permutation composed(const Permutation& first, const Permutation& second);
bool moves_nothing(const Permutation& perm);

}  // namespace onnxpress::passes
