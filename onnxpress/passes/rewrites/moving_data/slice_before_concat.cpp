// Slices the operand of a Concat that contains the piece, instead of the whole Concat.
//
//   before: y = Slice(Concat(a, b, c, axis = 1), [2], [5], [1])   with a of 2 and b of 3 along the axis
//   after:  readers of y read b; or y is a Slice of b where it is a part of b
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/slices.h"

namespace onnxpress::passes {

namespace {

bool apply_slice_before_concat(Node& node, Rewriter& rw) {
  Node* concat = rw.producer(node.input(0), "Concat");
  const auto slice = concat ? slice_of(node, rw) : std::nullopt;
  const auto shape = rw.shape_of(node.input(0));
  const auto axis = slice ? rw.params(*concat).integer("axis") : std::nullopt;
  if (!axis || slice->begin == slice->end) return false;
  if (ops::normal_axis(*axis, shape->size()) != slice->axis) return rw.refuse("the Concat is along another axis");
  std::int64_t at = 0;
  for (const Use& use : concat->inputs()) {
    const auto part = rw.shape_of(use.value());
    const auto size = part && part->size() == shape->size() ? (*part)[slice->axis].size() : std::nullopt;
    if (!size) return false;
    if (slice->begin >= at && slice->end <= at + *size) {
      if (slice->step == 1 && slice->end - slice->begin == *size) return rw.replace(node, use.value());
      const auto list = [](std::int64_t number) { return std::vector<std::int64_t>{number}; };
      std::vector<Parameter> parameters = {{"starts", list(slice->begin - at)},
                                           {"ends", list(slice->end - at)},
                                           {"axes", list(static_cast<std::int64_t>(slice->axis))}};
      if (slice->step != 1) parameters.emplace_back("steps", list(slice->step));
      Value* const operands[] = {use.value()};
      return rw.replace(node, rw.make("Slice", operands, parameters));
    }
    at += *size;
  }
  return rw.refuse("the Slice takes parts of several operands of the Concat");
}

constexpr std::string_view kSliceBeforeConcatRoots[] = {"Slice"};

}  // namespace

extern const Rewrite slice_before_concat;
const Rewrite slice_before_concat = {.name = "slice-before-concat",
                                     .summary = "slices the operand of a Concat that contains the piece",
                                     .exactness = Exactness::kExact,
                                     .group = "moving_data",
                                     .roots = kSliceBeforeConcatRoots,
                                     .apply = apply_slice_before_concat};

}  // namespace onnxpress::passes
