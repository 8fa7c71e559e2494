// Replaces a GatherND or GatherElements that takes whole rows by a Gather, which is simpler and known to more rewrites.
//
//   before: y = GatherND(x, Unsqueeze(i, -1))      before: y = GatherElements(x, Expand(i, shape), axis = 1)
//   after:  y = Gather(x, i)                       after:  y = Gather(x, i, axis = 1)
//
// For GatherElements, the indices vary only along the axis, and cover all other axes completely. Indices made by a
// Range must count up from 0 or more: ONNX Runtime 1.31 turns such a Gather into a Slice, and misreads an end of -1.
// Its Gather of strings copies only the first string of each row, so strings stay.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// Whether the indices come from a Range that may count down or start below 0, possibly through ops that only copy.
bool may_count_down(const Value* indices, const Rewriter& rw) {
  const Node* maker = indices ? indices->producer() : nullptr;
  while (maker && (maker->is("Identity") || maker->is("Expand") || maker->is("Cast") || maker->is("Reshape"))) {
    indices = maker->input(0);
    maker = indices ? indices->producer() : nullptr;
  }
  const Node* range = indices ? rw.producer(indices, "Range") : nullptr;
  if (!range) return false;
  const auto start = rw.constant(range->input(0)), step = rw.constant(range->input(2));
  const auto from = start ? start->integers() : std::nullopt, by = step ? step->integers() : std::nullopt;
  return !from || !by || from->size() != 1 || by->size() != 1 || from->front() < 0 || by->front() <= 0;
}

// The indices of a GatherND that indexes only the first axis, without their last axis of size 1; null for others.
Value* row_numbers(Value* indices, Rewriter& rw) {
  const auto shape = rw.shape_of(indices);
  if (!shape || shape->size() < 2 || shape->back().size() != 1) return nullptr;
  const auto last = static_cast<std::int64_t>(shape->size()) - 1;
  if (rw.is_constant(indices)) return rw.make("Squeeze", {indices}, {{"axes", std::vector<std::int64_t>{last}}});
  const Node* insert = rw.producer(indices, "Unsqueeze");
  const auto axes = insert ? rw.params(*insert).integers("axes") : std::nullopt;
  const bool is_last = axes && axes->size() == 1 && ops::normal_axis(axes->front(), shape->size()) == shape->size() - 1;
  return is_last ? insert->input(0) : nullptr;
}

// The indices of a GatherElements as a list along the axis; null when they vary along other axes.
Value* places_along(const Node& node, std::size_t axis, const ops::Shape& x, Rewriter& rw) {
  const Node* expand = rw.producer(node.input(1), "Expand");
  const auto wide = rw.shape_of(node.input(1));
  const auto narrow = expand ? rw.shape_of(expand->input(0)) : std::nullopt;
  if (!wide || !narrow || wide->size() != x.size() || narrow->size() > x.size()) return nullptr;
  const std::size_t missing = x.size() - narrow->size();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == axis) {
      if (i < missing || !rw.dims().equal((*narrow)[i - missing], (*wide)[i])) return nullptr;
    } else if (!rw.dims().equal((*wide)[i], x[i]) || (i >= missing && (*narrow)[i - missing].size() != 1)) {
      return nullptr;
    }
  }
  return narrow->size() == 1 ? expand->input(0) : rw.reshaped(expand->input(0), {-1});
}

bool apply_gather_instead_of_gather_nd(Node& node, Rewriter& rw) {
  const auto params = rw.params(node);
  if (rw.element_of(node.input(0)) == ElementType::kString) return false;
  if (node.is("GatherND")) {
    if (params.integer_or("batch_dims", 0) != 0) return false;
    Value* rows = row_numbers(node.input(1), rw);
    if (may_count_down(rows, rw)) return false;
    return rw.replace(node, rw.make("Gather", {node.input(0), rows}, {{"axis", 0}}));
  }
  const auto shape = rw.shape_of(node.input(0));
  const auto axis = shape ? ops::normal_axis(params.integer_or("axis", 0), shape->size()) : std::nullopt;
  if (!axis) return false;
  Value* places = places_along(node, *axis, *shape, rw);
  if (may_count_down(places, rw)) return false;
  return rw.replace(node, rw.make("Gather", {node.input(0), places}, {{"axis", static_cast<std::int64_t>(*axis)}}));
}

constexpr std::string_view kGatherInsteadOfGatherNdRoots[] = {"GatherND", "GatherElements"};

}  // namespace

extern const Rewrite gather_instead_of_gather_nd;
const Rewrite gather_instead_of_gather_nd = {
    .name = "gather-instead-of-gather-nd",
    .summary = "replaces a GatherND or GatherElements that takes whole rows by a Gather",
    .exactness = Exactness::kExact,
    .group = "moving_data",
    .roots = kGatherInsteadOfGatherNdRoots,
    .apply = apply_gather_instead_of_gather_nd};

}  // namespace onnxpress::passes
