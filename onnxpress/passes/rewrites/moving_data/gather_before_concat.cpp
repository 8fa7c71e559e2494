// Gathers from the operand of a Concat that contains the elements.
//
//   before: y = Gather(Concat(a, b, axis = 1), 3, axis = 1)   with a of 2 along the axis
//   after:  y = Gather(b, 1, axis = 1)
//
// All indices must be in one operand. Nothing else may read the Concat, or it would stay anyway.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

constexpr std::size_t kMostIndices = 64;

bool apply_gather_before_concat(Node& gather, Rewriter& rw) {
  const Node* concat = rw.sole_producer(gather.input(0), "Concat");
  const auto shape = concat ? rw.shape_of(concat->output()) : std::nullopt;
  const auto indices = shape && rw.is_constant(gather.input(1)) ? rw.constant(gather.input(1)) : std::nullopt;
  auto list = indices ? indices->integers() : std::nullopt;
  if (!list || list->empty()) return false;
  if (list->size() > kMostIndices)
    return rw.refuse("it has {} indices; at most {} are looked at", list->size(), kMostIndices);
  const auto axis = ops::normal_axis(rw.params(gather).integer_or("axis", 0), shape->size());
  const auto joined = ops::normal_axis(rw.params(*concat).integer_or("axis", 0), shape->size());
  if (!axis || axis != joined) return rw.refuse("the Concat is along another axis");
  // Negative indices need the size of the whole axis; others only the sizes of the operands before the one they are in.
  const auto size = (*shape)[*axis].size();
  for (std::int64_t& each : *list) {
    if (each < 0 && !size) return false;
    if (each < 0) each += *size;
  }
  const auto [low, high] = std::ranges::minmax(*list);
  std::int64_t at = 0;
  for (const Use& use : concat->inputs()) {
    const auto part = rw.shape_of(use.value());
    const auto length = part && part->size() == shape->size() ? (*part)[*axis].size() : std::nullopt;
    if (!length) return rw.refuse("the sizes of the operands of the Concat are not known");
    if (low < at) return rw.refuse("the indices are in several operands of the Concat");
    if (high < at + *length) {
      for (std::int64_t& each : *list) each -= at;
      Value* places = indices->rank() == 0 ? rw.scalar(ElementType::kInt64, static_cast<double>(list->front()))
                                           : rw.reshaped(rw.integers(*list), indices->sizes());
      return rw.replace(gather, rw.make("Gather", {use.value(), places}, {{"axis", static_cast<std::int64_t>(*axis)}}));
    }
    at += *length;
  }
  return false;
}

constexpr std::string_view kGatherBeforeConcatRoots[] = {"Gather"};

}  // namespace

extern const Rewrite gather_before_concat;
const Rewrite gather_before_concat = {.name = "gather-before-concat",
                                      .summary = "gathers from the operand of a Concat that contains the elements",
                                      .exactness = Exactness::kExact,
                                      .group = "moving_data",
                                      .roots = kGatherBeforeConcatRoots,
                                      .apply = apply_gather_before_concat};

}  // namespace onnxpress::passes
