// Removes a ScatterND that writes every element.
//
//   before: y = ScatterND(x, [[0], [1], [2]], u)   with x of [3, n]; or of Unsqueeze(Range(0, 3, 1), -1)
//   after:  readers of y read u
//
// The indices must cover all positions, in order.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

constexpr std::size_t kMostIndices = 1 << 16;

bool is_number(const Value* value, double number, const Rewriter& rw) {
  const auto array = rw.is_constant(value) ? rw.constant(value) : std::nullopt;
  return array && array->number() == number;
}

// Whether the indices are 0, 1, 2, ... for all rows of x, from a Range.
bool counts_rows(const Value* indices, const ops::Shape& x, const Rewriter& rw) {
  const auto shape = rw.shape_of(indices);
  if (!shape || shape->size() != 2 || (*shape)[1].size() != 1 || x.empty() || !rw.dims().equal((*shape)[0], x[0]))
    return false;
  const Node* view = rw.producer(indices, "Unsqueeze");
  if (!view) view = rw.producer(indices, "Reshape");
  const Node* range = view ? rw.producer(view->input(0), "Range") : nullptr;
  return range && is_number(range->input(0), 0, rw) && is_number(range->input(2), 1, rw);
}

// Whether the indices are a constant list of all positions of the first axes, in order.
bool lists_places(const Value* indices, const ops::Shape& x, const Rewriter& rw) {
  const auto array = rw.is_constant(indices) ? rw.constant(indices) : std::nullopt;
  if (!array || array->count() > kMostIndices || array->rank() < 2) return false;
  const auto list = array->integers();
  const auto axes = static_cast<std::size_t>(array->sizes().back());
  if (!list || axes == 0 || axes > x.size() || array->rank() != axes + 1) return false;
  for (std::size_t i = 0; i < axes; ++i) {
    if (x[i].size() != array->size(i)) return false;
  }
  std::vector<std::int64_t> place(axes, 0);
  for (std::size_t at = 0; at < list->size(); at += axes) {
    for (std::size_t i = 0; i < axes; ++i) {
      if ((*list)[at + i] != place[i]) return false;
    }
    for (std::size_t i = axes; i-- > 0 && ++place[i] == array->size(i) && i > 0;) place[i] = 0;
  }
  return true;
}

bool apply_remove_scatter(Node& node, Rewriter& rw) {
  const auto shape = rw.shape_of(node.input(0));
  if (!shape || rw.params(node).text_or("reduction", "none") != "none") return false;
  if (!rw.same_shape(node.input(0), node.input(2))) return false;
  const bool all = lists_places(node.input(1), *shape, rw) || counts_rows(node.input(1), *shape, rw);
  return all && rw.replace(node, node.input(2));
}

constexpr std::string_view kRemoveScatterRoots[] = {"ScatterND"};

}  // namespace

extern const Rewrite remove_scatter;
const Rewrite remove_scatter = {.name = "remove-scatter",
                                .summary = "removes a ScatterND that writes every element",
                                .exactness = Exactness::kExact,
                                .group = "no_ops",
                                .roots = kRemoveScatterRoots,
                                .apply = apply_remove_scatter};

}  // namespace onnxpress::passes
