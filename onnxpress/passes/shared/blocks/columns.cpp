// Reads Split and Slice nodes along the last axis.
#include "onnxpress/passes/shared/blocks/columns.h"

#include "onnxpress/passes/shared/slices.h"

namespace onnxpress::passes {

Columns columns_in(const Value* value, const Rewriter& rw) {
  Node* node = value ? value->producer() : nullptr;
  const auto whole = node && rw.op_of(*node) ? rw.shape_of(node->input(0)) : std::nullopt;
  const auto size = whole && !whole->empty() ? whole->back().size() : std::nullopt;
  if (!size) return {};
  if (node->is("Slice")) {
    const auto slice = slice_of(*node, rw);
    if (!slice || slice->axis + 1 != whole->size() || slice->step != 1) return {};
    return {node->input(0), slice->begin, slice->end, *size};
  }
  if (!node->is("Split")) return {};
  const auto axis = ops::normal_axis(rw.params(*node).integer_or("axis", 0), whole->size());
  if (!axis || *axis + 1 != whole->size()) return {};
  std::int64_t begin = 0;
  for (const Value* part : node->outputs()) {
    const auto shape = rw.shape_of(part);
    const auto width = shape && shape->size() == whole->size() ? shape->back().size() : std::nullopt;
    if (!width) return {};
    if (part == value) return {node->input(0), begin, begin + *width, *size};
    begin += *width;
  }
  return {};
}

std::optional<ThreeParts> three_parts(const Value* first, const Value* second, const Value* third, const Rewriter& rw) {
  ThreeParts found;
  std::int64_t begin = 0;
  for (const Value* each : {first, second, third}) {
    const Columns columns = columns_in(each, rw);
    if (!columns.of || (begin > 0 && columns.of != found.of) || columns.begin != begin || columns.end == begin)
      return std::nullopt;
    found.of = columns.of;
    found.widths[each == first ? 0 : each == second ? 1 : 2] = columns.end - begin;
    begin = columns.end;
    if (each == third && columns.end != columns.size) return std::nullopt;
  }
  return found;
}

}  // namespace onnxpress::passes
