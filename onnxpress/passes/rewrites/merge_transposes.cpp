// Merges a Transpose with the Transpose that feeds it.
//
//   before: t = Transpose(x, perm = p)
//           y = Transpose(t, perm = q)
//   after:  y = Transpose(x, perm = p[q]), or x itself when that leaves every axis where it was
//
// The first one stays if something else reads it; the second is no slower than before.
#include <numeric>
#include <optional>
#include <vector>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

using Axes = std::vector<std::int64_t>;

bool is_permutation_of_axes(const Axes& perm) {
  std::vector<bool> seen(perm.size(), false);
  for (const std::int64_t axis : perm) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= perm.size() || seen[static_cast<std::size_t>(axis)]) return false;
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return true;
}

// Without `perm` all axes are reversed; nullopt when it is not known how many there are.
std::optional<Axes> perm_of(const Node& transpose, const Rewriter& rw, std::optional<std::size_t> rank) {
  const auto params = rw.params(transpose);
  if (params.given("perm")) return params.integers("perm");
  if (!rank) {
    const auto shape = rw.shape_of(transpose.input(0));
    if (!shape) return std::nullopt;
    rank = shape->size();
  }
  Axes reversed(*rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

bool apply(Node& second, Rewriter& rw) {
  Node* first = rw.producer(second.input(0), "Transpose");
  if (!first) return false;
  auto p = perm_of(*first, rw, std::nullopt), q = perm_of(second, rw, p ? std::optional(p->size()) : std::nullopt);
  if (!p && q) p = perm_of(*first, rw, q->size());
  if (!p || !q || p->size() != q->size() || !is_permutation_of_axes(*p) || !is_permutation_of_axes(*q)) return false;

  Axes merged, unmoved(p->size());
  for (const std::int64_t axis : *q) merged.push_back((*p)[static_cast<std::size_t>(axis)]);
  std::iota(unmoved.begin(), unmoved.end(), 0);
  Value* x = first->input(0);
  return rw.replace(second, merged == unmoved ? x : rw.make("Transpose", {x}, {{"perm", merged}}));
}

constexpr std::string_view kRoots[] = {"Transpose"};

}  // namespace

extern const Rewrite merge_transposes;
const Rewrite merge_transposes = {.name = "merge-transposes",
                                  .summary = "makes one Transpose of two, or none",
                                  .exactness = Exactness::kExact,
                                  .group = "clean-up",
                                  .roots = kRoots,
                                  .apply = apply};

}  // namespace onnxpress::passes
