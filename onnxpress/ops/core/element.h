// C++ types for the elements of arrays, and the one place that turns an ElementType into such a type.
//
// In memory every element takes whole bytes: types of 2 to 6 bits are unpacked, one element per byte.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include "onnxpress/base/small_float.h"
#include "onnxpress/ir/element_type.h"

namespace onnxpress::ops {

// A floating-point number of at most 16 bits: stored as its bits, computed as a float.
template <SmallFloat Format>
struct Small {
  using Bits = std::conditional_t<Format == SmallFloat::kFloat16 || Format == SmallFloat::kBfloat16, std::uint16_t,
                                  std::uint8_t>;
  Bits bits = 0;

  Small() = default;
  explicit Small(float value) : bits(bits_for(value)) {}
  operator float() const {  // NOLINT(google-explicit-constructor): computing is in float
    if constexpr (Format == SmallFloat::kFloat16) return float16_value(bits);
    if constexpr (Format == SmallFloat::kBfloat16) return bfloat16_value(bits);
    return value_of(Format, bits);
  }

 private:
  static Bits bits_for(float value) {
    if constexpr (Format == SmallFloat::kFloat16) return float16_bits(value);
    if constexpr (Format == SmallFloat::kBfloat16) return bfloat16_bits(value);
    return static_cast<Bits>(nearest_bits(Format, value));
  }
};
using Float16 = Small<SmallFloat::kFloat16>;
using Bfloat16 = Small<SmallFloat::kBfloat16>;
using Float8e4m3fn = Small<SmallFloat::kFloat8e4m3fn>;
using Float8e4m3fnuz = Small<SmallFloat::kFloat8e4m3fnuz>;
using Float8e5m2 = Small<SmallFloat::kFloat8e5m2>;
using Float8e5m2fnuz = Small<SmallFloat::kFloat8e5m2fnuz>;
using Float8e8m0 = Small<SmallFloat::kFloat8e8m0>;
using Float6e2m3 = Small<SmallFloat::kFloat6e2m3>;
using Float6e3m2 = Small<SmallFloat::kFloat6e3m2>;
using Float4e2m1 = Small<SmallFloat::kFloat4e2m1>;

// An integer of 2 or 4 bits, in a byte of its own; arithmetic wraps to its width.
template <int Width, bool Signed>
struct Narrow {
  using Whole = std::conditional_t<Signed, std::int8_t, std::uint8_t>;
  Whole whole = 0;

  Narrow() = default;
  template <typename T>
  requires std::is_arithmetic_v<T>
  explicit Narrow(T value) : whole(wrap(static_cast<std::int64_t>(value))) {}
  operator int() const { return whole; }  // NOLINT(google-explicit-constructor)

 private:
  static Whole wrap(std::int64_t value) {
    const auto bits = static_cast<std::uint32_t>(value) & ((1U << Width) - 1);
    return static_cast<Whole>(Signed ? sign_extended(bits, Width) : static_cast<int>(bits));
  }
};
using Int4 = Narrow<4, true>;
using Uint4 = Narrow<4, false>;
using Int2 = Narrow<2, true>;
using Uint2 = Narrow<2, false>;

// A byte that is true when it is not zero. Files may hold any byte, which a C++ bool must not.
struct Bool {
  std::uint8_t byte = 0;

  Bool() = default;
  explicit Bool(bool value) : byte(value ? 1 : 0) {}
  operator bool() const { return byte != 0; }  // NOLINT(google-explicit-constructor)
};

// In the order of ElementType's numbers.
using Elements =
    std::tuple<void*, float, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::int32_t, std::int64_t,
               std::string, Bool, Float16, double, std::uint32_t, std::uint64_t, std::complex<float>,
               std::complex<double>, Bfloat16, Float8e4m3fn, Float8e4m3fnuz, Float8e5m2, Float8e5m2fnuz, Uint4, Int4,
               Float4e2m1, Float8e8m0, Uint2, Int2, Float6e2m3, Float6e3m2>;
static_assert(std::tuple_size_v<Elements> == kElementTypeCount);

// CppType<ElementType::kFloat> is float, and kTypeOf<float> is ElementType::kFloat.
template <ElementType Type>
using CppType = std::tuple_element_t<static_cast<std::size_t>(Type), Elements>;

template <typename T, std::size_t Index = 0>
constexpr ElementType type_of() {
  if constexpr (std::is_same_v<T, std::tuple_element_t<Index, Elements>>) {
    return static_cast<ElementType>(Index);
  } else {
    return type_of<T, Index + 1>();
  }
}
template <typename T>
inline constexpr ElementType kTypeOf = type_of<T>();

template <ElementType... Types>
struct TypeList {};
using FloatTypes = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16>;
using IntegerTypes = TypeList<ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16,
                              ElementType::kUint32, ElementType::kInt32, ElementType::kUint64, ElementType::kInt64>;
using NumberTypes = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                             ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16,
                             ElementType::kUint32, ElementType::kInt32, ElementType::kUint64, ElementType::kInt64>;
template <typename T>
inline constexpr bool kIsSmallFloat = false;
template <SmallFloat F>
inline constexpr bool kIsSmallFloat<Small<F>> = true;
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsSmallFloat<T>;
// The type to compute in: float for the small floats, otherwise the type itself.
template <typename T>
using Computed = std::conditional_t<kIsSmallFloat<T>, float, T>;

// Calls `work.template operator()<T>()` with the C++ type of `type` and returns true, or returns false when the list
// does not contain the type. `work` returns nothing, or a bool that is passed on.
template <ElementType... Types, typename Work>
bool dispatch(TypeList<Types...> /*types*/, ElementType type, Work&& work) {
  bool done = false;
  const auto call = [&]<ElementType Type>() {
    if (type != Type) return false;
    using Cpp = CppType<Type>;
    if constexpr (std::is_same_v<decltype(work.template operator()<Cpp>()), bool>) {
      done = work.template operator()<Cpp>();
    } else {
      work.template operator()<Cpp>();
      done = true;
    }
    return true;
  };
  static_cast<void>((call.template operator()<Types>() || ...));
  return done;
}

}  // namespace onnxpress::ops
