// Removes a Transpose that leaves every axis where it is, or that makes no difference; one that moves only axes of size
// 1 becomes a Reshape, which costs nothing.
//
//   before: y = Transpose(x, perm = [0, 1, 2])      before: y = Transpose(x, perm = [0, 2, 1])   with x of [4, 1, 5]
//   after:  readers of y read x                     after:  y = Reshape(x, [4, 5, 1])
#include <algorithm>
#include <numeric>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/view_dims.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_transpose(Node& transpose, Rewriter& rw) {
  const auto shape = rw.shape_of(transpose.input(0));
  const auto params = rw.params(transpose);
  auto perm = params.integers("perm");
  if (!params.given("perm") && shape) {
    perm.emplace(shape->size());
    std::iota(perm->rbegin(), perm->rend(), 0);
  }
  if (!perm) return false;
  std::vector<std::int64_t> moved;  // axes that may have more than one element, in their new order
  ops::Shape to;
  bool fits = shape && shape->size() == perm->size(), in_place = true;
  for (std::size_t i = 0; i < perm->size(); ++i) {
    const std::int64_t axis = (*perm)[i];
    in_place &= axis == static_cast<std::int64_t>(i);
    if (axis < 0 || static_cast<std::size_t>(axis) >= perm->size()) return false;
    to.push_back(fits ? (*shape)[static_cast<std::size_t>(axis)] : Dim());
    fits &= to.back() != Dim::size(0);
    if (to.back() != Dim::size(1)) moved.push_back(axis);
  }
  if (in_place) return rw.replace(transpose, transpose.input(0));
  if (!std::ranges::is_sorted(moved)) return rw.refuse("it moves axes that may have more than one element");
  const auto dims = fits ? view_dims(shape, to, rw) : std::nullopt;
  if (!dims) return rw.refuse("a Reshape would need sizes that are not known");
  return rw.replace(transpose, rw.reshaped(transpose.input(0), *dims));
}

constexpr std::string_view kRemoveTransposeRoots[] = {"Transpose"};

}  // namespace

extern const Rewrite remove_transpose;
const Rewrite remove_transpose = {
    .name = "remove-transpose",
    .summary = "removes a Transpose that moves nothing; one that moves only axes of size 1 becomes a Reshape",
    .exactness = Exactness::kExact,
    .group = "no_ops",
    .roots = kRemoveTransposeRoots,
    .apply = apply_remove_transpose};

}  // namespace onnxpress::passes
