// Pow: base and exponent may have different types.
#include <cmath>

#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/rounded_math.h"
#include "onnxpress/ops/math/arithmetic.h"

namespace onnxpress::ops {

namespace {

// Wraps around. With a negative exponent the result is a fraction, which truncates to 0 unless the base is 1 or -1.
std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  std::uint64_t result = 1, square = static_cast<std::uint64_t>(base);
  for (auto rest = static_cast<std::uint64_t>(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<std::int64_t>(result);
}

template <typename T>
T real_power(T base, T exponent) {
  if (exponent == 2) return base * base;
  if (exponent == T{0.5} && base > 0) return std::sqrt(base);
  return rounded_power(base, exponent);
}

}  // namespace

// Computes in float, double or int64 and converts to the type of the base, which is that of the result.
bool evaluate_pow(Call& call) {
  const ElementType base = call.array(0).type();
  const Array second = second_operand(call);
  if (!first_keeps_shape(call, second)) return call.fail("the second operand cannot be broadcast to the first");
  const auto is_whole = [](ElementType type) { return is_integer(type) || type == ElementType::kBool; };
  const bool whole = is_whole(base) && is_whole(second.type());
  const bool exact_in_float = is_float(base) && is_float(second.type()) && base != ElementType::kDouble &&
                              second.type() != ElementType::kDouble;
  const ElementType common = whole ? ElementType::kInt64 : exact_in_float ? ElementType::kFloat : ElementType::kDouble;
  const auto a = converted(call.array(0), common), b = converted(second, common);
  if (!a || !b || !(is_float(base) || is_integer(base))) return call.fail_type();
  std::optional<Array> power;
  if (whole) {
    power = combined<std::int64_t, std::int64_t>(call, *a, *b, integer_power);
  } else if (exact_in_float) {
    power = combined<float, float>(call, *a, *b, real_power<float>);
  } else {
    power = combined<double, double>(call, *a, *b, real_power<double>);
  }
  if (!power) return false;
  const auto result = converted(*power, base);
  return result ? call.done(*result) : call.fail_type();
}

}  // namespace onnxpress::ops
