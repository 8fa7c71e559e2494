// Slices the operand of a Pad or Expand instead of its result.
//
//   before: y = Slice(Pad(x, [0, 2, 0, 2]), [2], [5], [1])      before: y = Slice(Expand(x, [8, 4]), [0], [2], [0])
//   after:  y = Slice(x, [0], [3], [1])                         after:  y = Expand(x, [2, 4])   with x of [1, 4]
//
// The piece of a Pad must be within x, and the Pad must add nothing along other axes.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pads.h"
#include "onnxpress/passes/shared/slices.h"

namespace onnxpress::passes {

namespace {

Value* slice_along(Value* x, std::int64_t axis, std::int64_t begin, std::int64_t end, std::int64_t step, Rewriter& rw) {
  const auto list = [](std::int64_t number) { return std::vector<std::int64_t>{number}; };
  std::vector<Parameter> parameters = {{"starts", list(begin)}, {"ends", list(end)}, {"axes", list(axis)}};
  if (step != 1) parameters.emplace_back("steps", list(step));
  Value* const operands[] = {x};
  return rw.make("Slice", operands, parameters);
}

bool take_before_pad(Node& node, const Node& pad, const AxisSlice& slice, Rewriter& rw) {
  const auto padding = padding_of(pad, rw);
  const auto shape = rw.shape_of(pad.input(0));
  const auto size = padding && shape ? (*shape)[slice.axis].size() : std::nullopt;
  if (!size) return false;
  for (std::size_t i = 0; i < padding->begin.size(); ++i) {
    if (i != slice.axis && (padding->begin[i] != 0 || padding->end[i] != 0)) return false;
  }
  const std::int64_t before = padding->begin[slice.axis];
  if (before < 0 || padding->end[slice.axis] < 0 || slice.begin < before || slice.end > before + *size) return false;
  if (slice.step == 1 && slice.end - slice.begin == *size) return rw.replace(node, pad.input(0));
  return rw.replace(node, slice_along(pad.input(0), static_cast<std::int64_t>(slice.axis), slice.begin - before,
                                      slice.end - before, slice.step, rw));
}

bool take_before_expand(Node& node, const Node& expand, const AxisSlice& slice, Rewriter& rw) {
  const auto narrow = rw.shape_of(expand.input(0)), wide = rw.shape_of(expand.output());
  const auto target = rw.is_constant(expand.input(1)) ? rw.constant(expand.input(1)) : std::nullopt;
  auto dims = target ? target->integers() : std::nullopt;
  if (!narrow || !wide || !dims || dims->size() != wide->size()) return false;
  const std::size_t missing = wide->size() - narrow->size();
  const bool repeated = slice.axis < missing || (*narrow)[slice.axis - missing].size() == 1;
  if (!repeated) return false;
  (*dims)[slice.axis] = (slice.end - slice.begin + slice.step - 1) / slice.step;
  return rw.replace(node, rw.make("Expand", {expand.input(0), rw.integers(*dims)}));
}

bool apply_slice_before_pad(Node& node, Rewriter& rw) {
  const Node* pad = rw.sole_producer(node.input(0), "Pad");
  const Node* expand = pad ? nullptr : rw.sole_producer(node.input(0), "Expand");
  const auto slice = pad || expand ? slice_of(node, rw) : std::nullopt;
  if (!slice || slice->begin >= slice->end) return false;
  return pad ? take_before_pad(node, *pad, *slice, rw) : take_before_expand(node, *expand, *slice, rw);
}

constexpr std::string_view kSliceBeforePadRoots[] = {"Slice"};

}  // namespace

extern const Rewrite slice_before_pad;
const Rewrite slice_before_pad = {.name = "slice-before-pad",
                                  .summary = "slices the operand of a Pad or Expand instead of its result",
                                  .exactness = Exactness::kExact,
                                  .group = "moving_data",
                                  .roots = kSliceBeforePadRoots,
                                  .apply = apply_slice_before_pad};

}  // namespace onnxpress::passes
