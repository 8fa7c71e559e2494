// Arithmetic and functions of numbers, element by element: Add, Div, Max, Sqrt, Sin, Clip, BitShift, ...
#include "onnxpress/ops/math/arithmetic.h"

#include <cmath>

#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/fast_math.h"
#include "onnxpress/ops/kernels/rounded_math.h"
#include "onnxpress/ops/math/real_function.h"

namespace onnxpress::ops {

namespace {

struct Plus {
  template <typename T>
  T operator()(T a, T b) const {
    return wrapped<T>([](auto x, auto y) { return x + y; }, a, b);
  }
};
struct Minus {
  template <typename T>
  T operator()(T a, T b) const {
    return wrapped<T>([](auto x, auto y) { return x - y; }, a, b);
  }
};
struct Times {
  template <typename T>
  T operator()(T a, T b) const {
    return wrapped<T>([](auto x, auto y) { return x * y; }, a, b);
  }
};
// Integers are rounded toward zero. The most negative number divided by -1 wraps around; division by 0 is refused
// earlier.
struct Over {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      if (b == -1) return Minus()(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
// NaN wins, as in NumPy.
struct Larger {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) return a > b || std::isnan(a) ? a : b;
    return a > b ? a : b;
  }
};
struct Smaller {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) return a < b || std::isnan(a) ? a : b;
    return a < b ? a : b;
  }
};

using SignedNumbers = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                               ElementType::kInt8, ElementType::kInt16, ElementType::kInt32, ElementType::kInt64>;

bool has_zero(const Array& integers) {
  bool found = false;
  dispatch(IntegerTypes(), integers.type(), [&]<typename T>() {
    const auto elements = integers.data<T>();
    found = std::find(elements.begin(), elements.end(), T{0}) != elements.end();
  });
  return found;
}

bool evaluate_add(Call& call) { return evaluate_same_bits<SignedNumbers>(call, Plus()); }
bool evaluate_sub(Call& call) { return evaluate_same_bits<SignedNumbers>(call, Minus()); }
bool evaluate_mul(Call& call) { return evaluate_same_bits<SignedNumbers>(call, Times()); }
bool evaluate_div(Call& call) {
  if (has_zero(call.array(1))) return call.fail("an integer is divided by zero");
  return evaluate_binary<NumberTypes>(call, Over());
}

// The result has the sign of b (fmod = 0) or of a (fmod = 1).
bool evaluate_mod(Call& call) {
  if (has_zero(call.array(1))) return call.fail("the remainder of a division by zero is not defined");
  const bool as_c = call.params.flag("fmod");
  return evaluate_binary<NumberTypes>(call, [as_c]<typename T>(T a, T b) -> T {
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = std::fmod(a, b);
      if (as_c || std::isnan(rest)) return rest;
      if (rest == 0) return std::copysign(rest, b);
      return (rest < 0) != (b < 0) ? rest + b : rest;
    } else if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
      const auto rest = static_cast<T>(a % b);
      return !as_c && rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
    } else {
      return static_cast<T>(a % b);
    }
  });
}

bool evaluate_max(Call& call) { return evaluate_variadic<NumberTypes>(call, Larger()); }
bool evaluate_min(Call& call) { return evaluate_variadic<NumberTypes>(call, Smaller()); }

// Sums of 16-bit floats are rounded once, at the end.
bool sum_operands(Call& call, Array& sum) {
  const ElementType type = call.array(0).type();
  const bool narrow = type == ElementType::kFloat16 || type == ElementType::kBfloat16;
  std::optional<PairKernel> kernel;
  dispatch(NumberTypes(), narrow ? ElementType::kFloat : type,
           [&]<typename T>() { kernel = pair_kernel<T, T, Plus>(); });
  if (!kernel) return call.fail_type();
  for (std::size_t i = 0; i < call.operand_count(); ++i) {
    if (call.array(i).type() != type) return call.fail_type();
    const auto next = narrow ? converted(call.array(i), ElementType::kFloat) : std::optional(call.array(i));
    const Plus plus;
    const auto added = i == 0 ? next : combine(call, sum, *next, *kernel, &plus);
    if (!added) return false;
    sum = *added;
  }
  return true;
}

bool evaluate_sum(Call& call) {
  Array sum;
  if (!sum_operands(call, sum)) return false;
  const auto result = converted(sum, call.array(0).type());
  return result ? call.done(*result) : call.fail_type();
}

bool evaluate_mean(Call& call) {
  Array sum;
  if (!sum_operands(call, sum)) return false;
  const auto count = static_cast<double>(call.operand_count());
  if (!evaluate_real(call, sum, [count](auto x) { return static_cast<decltype(x)>(x / count); })) return false;
  const auto result = converted(*call.results()[0].array(), call.array(0).type());
  return result ? call.done(*result) : call.fail_type();
}

// Shifting right by the width of the type or more leaves only the sign.
bool evaluate_bit_shift(Call& call) {
  const auto direction = call.params.text_or("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") return call.fail("'direction' is neither LEFT nor RIGHT");
  const bool left = direction == "LEFT";
  return evaluate_binary<IntegerTypes>(call, [left]<typename T>(T a, T b) -> T {
    const bool inside = b >= 0 && static_cast<std::uint64_t>(b) < sizeof(T) * 8;
    if (left) return inside ? static_cast<T>(static_cast<std::uint64_t>(a) << static_cast<int>(b)) : T{0};
    if (inside) return static_cast<T>(a >> static_cast<int>(b));
    return a < 0 ? static_cast<T>(-1) : T{0};
  });
}

bool evaluate_neg(Call& call) {
  return evaluate_unary<NumberTypes>(call, []<typename T>(T x) -> T {
    if constexpr (std::is_integral_v<T>) return Minus()(T{0}, x);
    return -x;
  });
}

bool evaluate_abs(Call& call) {
  return evaluate_unary<NumberTypes>(call, []<typename T>(T x) -> T {
    if constexpr (std::is_floating_point_v<T>) return std::abs(x);
    return x < 0 ? Minus()(T{0}, x) : x;
  });
}

bool evaluate_sign(Call& call) {
  return evaluate_unary<NumberTypes>(call, []<typename T>(T x) -> T {
    if (std::isnan(x)) return x;
    return static_cast<T>(x > 0 ? 1 : x < 0 ? -1 : 0);
  });
}

// The row of a function of one real number. `Work` is a lambda without captures.
template <typename Work>
constexpr OpDef function(std::string_view name, std::uint32_t traits, void (*infer)(Inference&), Work /*work*/) {
  return {.name = name, .traits = traits, .infer = infer, .evaluate = evaluate_function<Work>};
}
// The same for a function of the C library: `Work` takes and returns double.
template <typename Work>
constexpr OpDef library_function(std::string_view name, std::uint32_t traits, void (*infer)(Inference&),
                                 Work /*work*/) {
  return function(name, traits, infer, RoundedOnce<Work>());
}

constexpr OpDef kArithmeticRows[] = {
    {.name = "Abs", .traits = kElementwise | kIdempotent, .infer = infer_abs, .evaluate = evaluate_abs},
    library_function("Acos", kElementwise, infer_function, [](double x) { return std::acos(x); }),
    library_function("Acosh", kIncreasing, infer_nonnegative, [](double x) { return std::acosh(x); }),
    {.name = "Add",
     .traits = kElementwise | kCommutative | kDecodes,
     .infer = infer_add,
     .evaluate = evaluate_add,
     .ort_lacks = type_set(ElementType::kFloat16, ElementType::kBfloat16)},
    library_function("Asin", kIncreasing, infer_function, [](double x) { return std::asin(x); }),
    library_function("Asinh", kIncreasing, infer_function, [](double x) { return std::asinh(x); }),
    library_function("Atan", kIncreasing, infer_function, [](double x) { return std::atan(x); }),
    library_function("Atanh", kIncreasing, infer_function, [](double x) { return std::atanh(x); }),
    {.name = "BitShift",
     .traits = kElementwise | kDecodes,
     .infer = infer_binary_shape,
     .evaluate = evaluate_bit_shift,
     .ort_lacks = type_set(ElementType::kUint16)},
    function("Ceil", kIncreasing | kIdempotent, infer_rounding, [](auto x) { return std::ceil(x); }),
    {.name = "Clip", .traits = kIncreasing | kIdempotent, .infer = infer_clip, .evaluate = evaluate_clip},
    library_function("Cos", kElementwise, infer_within_one, [](double x) { return std::cos(x); }),
    library_function("Cosh", kElementwise, infer_nonnegative, [](double x) { return std::cosh(x); }),
    {.name = "Div",
     .traits = kElementwise | kDecodes,
     .infer = infer_div,
     .evaluate = evaluate_div,
     .ort_lacks = type_set(ElementType::kFloat16, ElementType::kBfloat16)},
    function("Erf", kIncreasing, infer_within_one, [](auto x) { return error_function(x); }),
    function("Exp", kIncreasing, infer_nonnegative, [](auto x) { return exponential(x); }),
    function("Floor", kIncreasing | kIdempotent | kDecodes, infer_rounding, [](auto x) { return std::floor(x); }),
    library_function("Log", kIncreasing, infer_function, [](double x) { return std::log(x); }),
    {.name = "Max", .traits = kElementwise | kCommutative, .infer = infer_max, .evaluate = evaluate_max},
    {.name = "Mean", .traits = kElementwise | kCommutative, .infer = infer_variadic, .evaluate = evaluate_mean},
    {.name = "Min", .traits = kElementwise | kCommutative, .infer = infer_min, .evaluate = evaluate_min},
    {.name = "Mod", .traits = kElementwise | kDecodes, .infer = infer_mod, .evaluate = evaluate_mod},
    {.name = "Mul",
     .traits = kElementwise | kCommutative | kDecodes,
     .infer = infer_mul,
     .evaluate = evaluate_mul,
     .ort_lacks = type_set(ElementType::kFloat16, ElementType::kBfloat16)},
    {.name = "Neg", .traits = kElementwise | kDecodes, .infer = infer_neg, .evaluate = evaluate_neg},
    // With a double exponent, the power is computed in double.
    {.name = "Pow", .traits = kElementwise | kTypeMatters, .infer = infer_pow, .evaluate = evaluate_pow},
    function("Reciprocal", kElementwise, infer_function, [](auto x) { return 1 / x; }),
    function("Round", kIncreasing | kIdempotent, infer_rounding, [](auto x) { return std::nearbyint(x); }),
    {.name = "Sign", .traits = kIncreasing | kIdempotent, .infer = infer_sign, .evaluate = evaluate_sign},
    library_function("Sin", kElementwise, infer_within_one, [](double x) { return std::sin(x); }),
    library_function("Sinh", kIncreasing, infer_function, [](double x) { return std::sinh(x); }),
    function("Sqrt", kIncreasing, infer_nonnegative, [](auto x) { return std::sqrt(x); }),
    {.name = "Sub",
     .traits = kElementwise | kDecodes,
     .infer = infer_sub,
     .evaluate = evaluate_sub,
     .ort_lacks = type_set(ElementType::kFloat16, ElementType::kBfloat16)},
    {.name = "Sum", .traits = kElementwise | kCommutative, .infer = infer_sum, .evaluate = evaluate_sum},
    library_function("Tan", kElementwise, infer_function, [](double x) { return std::tan(x); }),
    function("Tanh", kIncreasing, infer_within_one, [](auto x) { return hyperbolic_tangent(x); }),
};

}  // namespace

Family arithmetic() { return kArithmeticRows; }

}  // namespace onnxpress::ops
