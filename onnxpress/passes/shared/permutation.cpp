// Reads and composes orders of axes.
#include "onnxpress/passes/shared/permutation.h"

#include <numeric>

namespace onnxpress::passes {

namespace {

bool is_permutation_of_axes(const Permutation& perm) {
  std::vector<bool> seen(perm.size(), false);
  for (const std::int64_t axis : perm) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= perm.size() || seen[static_cast<std::size_t>(axis)]) return false;
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return true;
}

}  // namespace

std::optional<Permutation> perm_of(const Node& transpose, const Rewriter& rw, std::optional<std::size_t> rank) {
  const auto params = rw.params(transpose);
  if (params.given("perm")) {
    auto perm = params.integers("perm");
    return perm && is_permutation_of_axes(*perm) ? perm : std::nullopt;
  }
  if (!rank) {
    const auto shape = rw.shape_of(transpose.input(0));
    if (!shape) return std::nullopt;
    rank = shape->size();
  }
  Permutation reversed(*rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

Permutation inverse(const Permutation& perm) {
  Permutation made(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) made[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return made;
}

Permutation composed(const Permutation& first, const Permutation& second) {
  Permutation made;
  for (const std::int64_t axis : second) made.push_back(first[static_cast<std::size_t>(axis)]);
  return made;
}

bool moves_nothing(const Permutation& perm) {
  for (std::size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

}  // namespace onnxpress::passes
