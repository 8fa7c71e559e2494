// Fuses Reshape, Transpose and Reshape into DepthToSpace or SpaceToDepth.
//
//   before: y = Reshape(Transpose(Reshape(x, [n, c, r, r, h, w]), perm = [0, 1, 4, 2, 5, 3]), [n, c, h * r, w * r])
//   after:  y = DepthToSpace(x, blocksize = r, mode = "CRD")
//
// Floats only, because runtimes have no other kernels.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

namespace {

struct Order {
  Permutation perm;
  std::string_view op, mode;
  std::size_t channel, block[2], height, width;  // their axes in the result of the first Reshape
};

const Order* order_of(const Permutation& perm) {
  static const Order kOrders[] = {{{0, 1, 4, 2, 5, 3}, "DepthToSpace", "CRD", 1, {2, 3}, 4, 5},
                                  {{0, 3, 4, 1, 5, 2}, "DepthToSpace", "DCR", 3, {1, 2}, 4, 5},
                                  {{0, 3, 5, 1, 2, 4}, "SpaceToDepth", "", 1, {3, 5}, 2, 4}};
  const auto found = std::ranges::find(kOrders, perm, &Order::perm);
  return found == std::end(kOrders) ? nullptr : found;
}

bool apply_fuse_depth_to_space(Node& last, Rewriter& rw) {
  Node* transpose = rw.sole_producer(last.input(0), "Transpose");
  Node* first = transpose ? rw.sole_producer(transpose->input(0), "Reshape") : nullptr;
  const auto perm = first ? perm_of(*transpose, rw) : std::nullopt;
  const Order* order = perm ? order_of(*perm) : nullptr;
  if (!order) return false;
  const auto x = rw.shape_of(first->input(0)), mid = rw.shape_of(first->output()), y = rw.shape_of(last.output());
  if (!x || !mid || !y || x->size() != 4 || !is_float(rw.element_of(last.output())) || mid->size() != 6 ||
      y->size() != 4)
    return false;
  const auto r = (*mid)[order->block[0]].size();
  if (!r || *r < 2 || (*mid)[order->block[1]].size() != r) return false;
  ops::DimMath& math = rw.dims();
  const Dim block = Dim::size(*r), blocks = Dim::size(*r * *r);
  const ops::Shape deep = {(*mid)[0], math.mul((*mid)[order->channel], blocks), (*mid)[order->height],
                           (*mid)[order->width]};
  const ops::Shape wide = {(*mid)[0], (*mid)[order->channel], math.mul((*mid)[order->height], block),
                           math.mul((*mid)[order->width], block)};
  const bool to_space = order->op == "DepthToSpace";
  const auto same = [&](const ops::Shape& a, const ops::Shape& b) {
    return std::ranges::equal(a, b, [&](Dim p, Dim q) { return math.equal(p, q); });
  };
  if (!same(*x, to_space ? deep : wide) || !same(*y, to_space ? wide : deep)) return false;
  std::vector<Parameter> parameters = {{"blocksize", *r}};
  if (order->mode == "CRD") parameters.emplace_back("mode", order->mode);
  Value* const operands[] = {first->input(0)};
  return rw.replace(last, rw.make(order->op, operands, parameters));
}

constexpr std::string_view kFuseDepthToSpaceRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite fuse_depth_to_space;
const Rewrite fuse_depth_to_space = {
    .name = "fuse-depth-to-space",
    .summary = "fuses Reshape, Transpose and Reshape into DepthToSpace or SpaceToDepth",
    .exactness = Exactness::kExact,
    .group = "moving_data",
    .large_pattern = true,
    .roots = kFuseDepthToSpaceRoots,
    .apply = apply_fuse_depth_to_space};

}  // namespace onnxpress::passes
