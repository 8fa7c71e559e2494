// Cast: reads the parameters; the conversion rules are in convert.cpp.
#include "onnxpress/ops/math/cast.h"

#include <fmt/format.h>

#include <cmath>

#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/elementwise.h"

namespace onnxpress::ops {

namespace {

// The attribute `to`: a number, or in opset 1 a name such as "FLOAT".
ElementType wanted_type(const Params& params) {
  if (const auto number = params.integer("to"))
    return *number > 0 && *number < kElementTypeCount ? static_cast<ElementType>(*number) : ElementType::kUndefined;
  const auto name = params.text("to");
  if (!name) return ElementType::kUndefined;
  std::string lower(*name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return element_type_named(lower).value_or(ElementType::kUndefined);
}

bool evaluate_to(Call& call, ElementType to) {
  Conversion how{.saturate = call.params.integer_or("saturate", 1) != 0};
  const auto round = call.params.text_or("round_mode", "up");
  if (round == "down") how.round = Conversion::Round::kDown;
  if (round == "nearest") how.round = Conversion::Round::kNearest;
  if (round != "up" && round != "down" && round != "nearest") return call.fail("'round_mode' has an unknown value");
  if (!is_known(to)) return call.fail("the type to cast to is not known");
  const Array& x = call.array(0);
  auto result = converted(x, to, how);
  if (result) return call.done(std::move(*result));
  return x.is_string() ? call.fail("a string is not a number") : call.fail_type();
}

bool is_whole(ElementType type) { return is_integer(type) || type == ElementType::kBool; }

// Bounds are kept if every number of the first type exists in the second. Otherwise a lower bound of 0 is kept, because
// rounding is monotone.
void infer_range(Inference& in, ElementType from, ElementType to) {
  Fact& result = in.result();
  if (to == ElementType::kBool) {
    result.range = {0, 1, true};
    return;
  }
  const Range& x = in.operand(0).range;
  const bool widens =
      (is_whole(from) && is_integer(to) && bits_of(to) > bits_of(from) && name_of(to).starts_with('i')) ||
      (from == ElementType::kFloat && to == ElementType::kDouble) ||
      (is_whole(from) && bits_of(from) <= 16 && (to == ElementType::kFloat || to == ElementType::kDouble)) ||
      from == to;
  if (widens) result.range = x;
  if (!widens && is_float(to) && x.low >= 0) result.range.low = 0;
}

// Exporters compute with sizes as floats (padding, scales). If all of them are known, so is the result.
void infer_known_float(Inference& in, ElementType to) {
  if (in.operand(0).constant) return;  // it is folded anyway
  const Array* sizes = in.constant(0);
  if (!sizes) return;
  if (const auto made = converted(*sizes, to)) in.set(0, Fact::of(*made));
}

void infer_to(Inference& in, ElementType to) {
  infer_same_shape(in);
  if (in.result_count() == 0 || !is_known(to)) return;
  in.set_element(0, to);
  const ElementType from = in.operand(0).element;
  if (in.operand(0).is_splat) in.result().is_splat = true;
  if (from == ElementType::kUndefined || from == ElementType::kString || to == ElementType::kString) return;
  infer_range(in, from, to);
  if (is_whole(from) && is_float(to)) return infer_known_float(in, to);
  if (!is_whole(from) || !is_whole(to)) return;
  infer_elements(in, [&](Dim x) -> Dim {
    if (to != ElementType::kBool) return fitting(in, x, to);
    if (x == Dim::size(0)) return x;
    return in.dims.at_least(x, 1) || in.dims.at_most(x, -1) ? Dim::size(1) : Dim();
  });
}

}  // namespace

bool evaluate_cast(Call& call) { return evaluate_to(call, wanted_type(call.params)); }
bool evaluate_cast_like(Call& call) { return evaluate_to(call, call.array(1).type()); }

void infer_cast(Inference& in) {
  const ElementType to = wanted_type(in.params);
  if (const auto number = in.params.integer("to"); number && !is_known(to))
    return in.contradict(fmt::format("there is no element type {} to convert to", *number));
  infer_to(in, to);
}
// The schema gives the result the type of operand 1, but only once that type is known.
void infer_cast_like(Inference& in) { infer_to(in, in.operand(1).element); }

}  // namespace onnxpress::ops
