// Clip, with bounds as attributes or operands.
#include <cmath>
#include <limits>

#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/math/arithmetic.h"

namespace onnxpress::ops {

namespace {

// According to the documentation, infinities are clipped even without a bound.
template <typename T>
T largest() {
  if constexpr (std::is_same_v<T, Float16>) return T(65504.0F);
  if constexpr (std::is_same_v<T, Bfloat16>) return T(0x1.fep127F);
  if constexpr (std::is_arithmetic_v<T>) return std::numeric_limits<T>::max();
}
template <typename T>
T lowest() {
  if constexpr (kIsFloat<T>) return static_cast<T>(-static_cast<Computed<T>>(largest<T>()));
  if constexpr (!kIsFloat<T>) return std::numeric_limits<T>::lowest();
}

// The bound in the type of the elements; nullopt when it is not a single number.
template <typename T>
std::optional<T> bound(Call& call, std::string_view name, T otherwise) {
  const Array& operand = call.array(name);
  if (operand.type() == kTypeOf<T>) return operand.count() == 1 ? std::optional(operand.data<T>()[0]) : std::nullopt;
  if (call.params.schema().operand(name) >= 0)
    return operand.type() == ElementType::kUndefined ? std::optional(otherwise) : std::nullopt;
  const auto given = call.params.real(name);
  if (!given) return otherwise;
  const auto number = static_cast<float>(*given);
  if constexpr (std::is_integral_v<T>) {  // bounds that are attributes are floats, whatever the element type
    if (!(static_cast<double>(number) > static_cast<double>(lowest<T>()))) return lowest<T>();
    if (!(static_cast<double>(number) < static_cast<double>(largest<T>()))) return largest<T>();
  }
  return static_cast<T>(number);
}

}  // namespace

// min(max, max(x, min)); NaN stays NaN.
bool evaluate_clip(Call& call) {
  const auto work = [&]<typename T>() {
    using Wide = Computed<T>;
    const auto low = bound<T>(call, "min", lowest<T>()), high = bound<T>(call, "max", largest<T>());
    if (!low || !high) return call.fail("a bound is not a single number of the operand's type");
    const Wide least = static_cast<Wide>(*low), most = static_cast<Wide>(*high);
    return evaluate_unary<TypeList<kTypeOf<T>>>(call, [least, most](Wide x) {
      const Wide raised = x < least ? least : x;
      return raised > most ? most : raised;
    });
  };
  return dispatch(NumberTypes(), call.array(0).type(), work) || (call.why().empty() && call.fail_type());
}

}  // namespace onnxpress::ops
