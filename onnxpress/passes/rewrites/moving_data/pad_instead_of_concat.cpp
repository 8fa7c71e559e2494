// Replaces a Concat with constants that repeat one number by a Pad.
//
//   before: y = Concat(zeros, x, zeros, axis = 1)
//   after:  y = Pad(x, ...)
//
// Exactly one operand is not constant; the others repeat the same number and have a known size along the axis.
#include <cmath>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pads.h"

namespace onnxpress::passes {

namespace {

bool apply_pad_instead_of_concat(Node& concat, Rewriter& rw) {
  const auto shape = rw.shape_of(concat.output());
  const auto named = rw.params(concat).integer("axis");
  const auto axis = shape && named ? ops::normal_axis(*named, shape->size()) : std::nullopt;
  if (!axis) return false;
  Value* x = nullptr;
  std::optional<double> number;
  std::int64_t before = 0, after = 0;
  for (const Use& use : concat.inputs()) {
    const ops::Fact& fact = rw.fact(use.value());
    const auto part = rw.shape_of(use.value());
    const auto size = part && part->size() == shape->size() ? (*part)[*axis].size() : std::nullopt;
    const bool repeats = fact.is_splat && fact.range.finite && fact.range.low == fact.range.high && size;
    if (!repeats) {
      if (x) return false;
      x = use.value();
      continue;
    }
    if (number && (*number != fact.range.low || std::signbit(*number) != std::signbit(fact.range.low))) return false;
    number = fact.range.low;
    (x ? after : before) += *size;
  }
  if (!x || !number || std::signbit(*number) || !is_float(rw.element_of(x)) || rw.is_constant(x)) return false;
  std::vector<std::int64_t> pads(2 * shape->size(), 0);
  pads[*axis] = before;
  pads[shape->size() + *axis] = after;
  std::vector<Parameter> parameters = {{"pads", pads}};
  if (*number != 0) parameters.emplace_back(pad_number_name(*concat.graph(), rw), *number);
  Value* const operands[] = {x};
  return rw.replace(concat, rw.make("Pad", operands, parameters));
}

constexpr std::string_view kPadInsteadOfConcatRoots[] = {"Concat"};

}  // namespace

extern const Rewrite pad_instead_of_concat;
const Rewrite pad_instead_of_concat = {.name = "pad-instead-of-concat",
                                       .summary = "replaces a Concat with constants that repeat one number by a Pad",
                                       .exactness = Exactness::kExact,
                                       .group = "moving_data",
                                       .roots = kPadInsteadOfConcatRoots,
                                       .apply = apply_pad_instead_of_concat};

}  // namespace onnxpress::passes
