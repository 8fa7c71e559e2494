// What is known about the results of arithmetic: shapes, ranges, and integers as expressions.
#include <cmath>

#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/math/arithmetic.h"

namespace onnxpress::ops {

namespace {

// Infers the shape, whether the result is splat, and expressions that stay within the range of the type.
void infer_binary(Inference& in, const std::function<Dim(Dim, Dim)>& work) {
  infer_binary_shape(in);
  infer_splat(in);
  const ElementType type = in.operand(0).element;
  infer_elements(in, [&](Dim a, Dim b) { return fitting(in, work(a, b), type); });
}

void infer_unary(Inference& in, const std::function<Dim(Dim)>& work) {
  infer_same_shape(in);
  infer_splat(in);
  const ElementType type = in.operand(0).element;
  infer_elements(in, [&](Dim a) { return fitting(in, work(a), type); });
}

// Rounds toward zero; unknown if a sign is unknown.
Dim quotient(DimMath& dims, Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown()) return {};
  if (dims.at_most(b, -1)) {
    a = dims.sub(Dim::size(0), a);
    b = dims.sub(Dim::size(0), b);
  }
  if (!dims.at_least(b, 1)) return {};
  if (dims.at_least(a, 0)) return dims.floor_div(a, b);
  if (dims.at_most(a, 0)) return dims.sub(Dim::size(0), dims.floor_div(dims.sub(Dim::size(0), a), b));
  return {};
}

// Expressions for any number of operands. All must be known and have the same count, or one element.
void infer_variadic_elements(Inference& in, const std::function<Dim(Dim, Dim)>& work) {
  if (in.operand_count() == 1) return infer_elements(in, [](Dim a) { return a; });
  if (in.operand_count() == 2)
    return infer_elements(in, [&](Dim a, Dim b) { return fitting(in, work(a, b), in.operand(0).element); });
  const auto sizes = in.result_count() > 0 ? in.result().sizes() : std::nullopt;
  if (!sizes || sizes->size() > 1) return;
  const std::size_t count = sizes->empty() ? 1 : static_cast<std::size_t>((*sizes)[0]);
  if (count > kMostElementsKnown) return;
  std::vector<Dim> elements;
  for (std::size_t i = 0; i < in.operand_count(); ++i) {
    const auto* each = in.elements(i);
    if (!each || (each->size() != count && each->size() != 1)) return;
    elements.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const Dim next = (*each)[each->size() == 1 ? 0 : k];
      elements[k] = i == 0 ? next : fitting(in, work(elements[k], next), in.operand(0).element);
    }
  }
  in.set_elements(0, std::move(elements));
}

// Combines the bounds of any number of operands.
template <typename Combine>
void infer_variadic_range(Inference& in, Combine&& combine) {
  if (in.result_count() == 0 || in.operand_count() == 0) return;
  Range range = in.operand(0).range;
  for (std::size_t i = 1; i < in.operand_count(); ++i) {
    const Range& next = in.operand(i).range;
    range = {combine(range.low, next.low), combine(range.high, next.high), range.finite && next.finite};
  }
  in.result().range = range;
}

}  // namespace

void infer_add(Inference& in) {
  infer_binary(in, [&](Dim a, Dim b) { return in.dims.add(a, b); });
}
void infer_sub(Inference& in) {
  infer_binary(in, [&](Dim a, Dim b) { return in.dims.sub(a, b); });
}
void infer_mul(Inference& in) {
  infer_binary(in, [&](Dim a, Dim b) { return in.dims.mul(a, b); });
}
void infer_div(Inference& in) {
  infer_binary(in, [&](Dim a, Dim b) { return quotient(in.dims, a, b); });
}

void infer_mod(Inference& in) {
  const bool as_c = in.params.flag("fmod");
  infer_binary(in, [&](Dim a, Dim b) -> Dim {
    if (b == Dim::size(0)) return {};
    const bool same_sign = in.dims.at_least(a, 0) && in.dims.at_least(b, 1);
    return !as_c || same_sign ? in.dims.mod(a, b) : Dim();
  });
}

void infer_pow(Inference& in) {
  infer_binary(in, [&](Dim a, Dim b) -> Dim {
    if (b == Dim::size(0)) return Dim::size(1);
    if (b == Dim::size(1)) return a;
    return b == Dim::size(2) ? in.dims.mul(a, a) : Dim();
  });
}

void infer_variadic(Inference& in) {
  infer_broadcast(in);
  infer_splat(in);
}
void infer_sum(Inference& in) {
  infer_variadic(in);
  infer_variadic_elements(in, [&](Dim a, Dim b) { return in.dims.add(a, b); });
}
void infer_max(Inference& in) {
  infer_variadic(in);
  infer_variadic_elements(in, [&](Dim a, Dim b) { return in.dims.max(a, b); });
  infer_variadic_range(in, [](double a, double b) { return std::max(a, b); });
}
void infer_min(Inference& in) {
  infer_variadic(in);
  infer_variadic_elements(in, [&](Dim a, Dim b) { return in.dims.min(a, b); });
  infer_variadic_range(in, [](double a, double b) { return std::min(a, b); });
}

void infer_neg(Inference& in) {
  infer_unary(in, [&](Dim a) { return in.dims.sub(Dim::size(0), a); });
  // Not for integers: the most negative one and unsigned ones wrap around.
  const Range& x = in.operand(0).range;
  if (in.result_count() > 0 && is_float(in.operand(0).element)) in.result().range = {-x.high, -x.low, x.finite};
}

void infer_abs(Inference& in) {
  infer_unary(in, [&](Dim a) -> Dim {
    if (in.dims.at_least(a, 0)) return a;
    return in.dims.max(a, in.dims.sub(Dim::size(0), a));
  });
  if (in.result_count() == 0 || !is_float(in.operand(0).element)) return;
  const Range& x = in.operand(0).range;
  const double low = x.low > 0 ? x.low : x.high < 0 ? -x.high : 0;
  in.result().range = {low, std::max(std::abs(x.low), std::abs(x.high)), x.finite};
}

void infer_sign(Inference& in) {
  infer_unary(in, [&](Dim a) -> Dim {
    if (in.dims.at_least(a, 1)) return Dim::size(1);
    if (in.dims.at_most(a, -1)) return Dim::size(-1);
    return a == Dim::size(0) ? a : Dim();
  });
  if (in.result_count() > 0) in.result().range = {-1, 1, in.operand(0).range.finite};
}

// An absent bound has no effect; one that is known only at run time makes the result unknown.
void infer_clip(Inference& in) {
  const auto dim_of = [&](std::size_t i) -> Dim {
    const auto* elements = in.elements(i);
    return elements && elements->size() == 1 ? elements->front() : Dim();
  };
  const bool bounds_are_operands = in.params.schema().operand("min") >= 0;
  infer_same_shape(in);
  if (in.operand(0).is_splat && in.result_count() > 0) in.result().is_splat = true;
  if (bounds_are_operands && is_integer(in.operand(0).element)) {
    infer_elements(in, [&](Dim x) {
      if (in.has(1)) x = in.dims.max(x, dim_of(1));
      return in.has(2) ? in.dims.min(x, dim_of(2)) : x;
    });
  }
  if (in.result_count() == 0) return;
  Range range = in.operand(0).range;
  // Infinities are clipped to the largest number, even without bounds.
  if (std::isinf(range.low) && range.low > 0) range.low = 0;
  if (std::isinf(range.high) && range.high < 0) range.high = 0;
  const auto low = in.params.real("min"), high = in.params.real("max");
  if (low && !std::isnan(*low)) range = {std::max(range.low, *low), std::max(range.high, *low), range.finite};
  if (high && !std::isnan(*high)) range = {std::min(range.low, *high), std::min(range.high, *high), range.finite};
  // A bound that is known only at run time may be any number.
  const bool low_unknown = in.params.given("min") && !low, high_unknown = in.params.given("max") && !high;
  if (!low_unknown && !high_unknown) in.result().range = range;
}

void infer_function(Inference& in) {
  infer_same_shape(in);
  infer_splat(in);
}
void infer_nonnegative(Inference& in) { infer_bounded(in, 0, std::numeric_limits<double>::infinity()); }
// Runtimes have rounding errors: ONNX Runtime gives -1.0000001 for Tanh.
void infer_within_one(Inference& in) { infer_bounded(in, -1.000001, 1.000001); }
void infer_rounding(Inference& in) {
  infer_function(in);
  if (in.result_count() == 0) return;
  const Range& x = in.operand(0).range;
  in.result().range = {std::floor(x.low), std::ceil(x.high), x.finite};
}

}  // namespace onnxpress::ops
