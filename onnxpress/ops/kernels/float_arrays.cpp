// Conversions of whole arrays to and from float and double.
#include "onnxpress/ops/kernels/float_arrays.h"

#include <limits>

namespace onnxpress::ops {

namespace {

template <typename From, typename To>
Array cast_elements(const Array& array) {
  Array made = Array::make<To>(array.sizes());
  const From* from = array.data<From>().data();
  To* to = made.mutable_data<To>().data();
  for (std::size_t i = 0; i < array.count(); ++i) to[i] = static_cast<To>(static_cast<Computed<From>>(from[i]));
  return made;
}

}  // namespace

template <typename T>
Array converted(const Array& array) {
  if (array.type() == kTypeOf<T>) return array;
  Array made;
  if (array.type() == ElementType::kBool) return cast_elements<Bool, T>(array);
  dispatch(NumberTypes(), array.type(), [&]<typename From>() { made = cast_elements<From, T>(array); });
  return made;
}

namespace {

template <typename T>
T element_from(double number) {
  if constexpr (std::is_integral_v<T>) {
    // The largest 64-bit integer has no exact double, hence >=.
    if (number >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    if (!(number > static_cast<double>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
    return static_cast<T>(number);
  } else {
    return static_cast<T>(static_cast<Computed<T>>(number));
  }
}

}  // namespace

std::optional<Array> array_from(std::span<const double> numbers, Sizes sizes, ElementType type) {
  Array made;
  const auto fill = [&]<typename T>() {
    made = Array::make<T>(std::move(sizes));
    const auto to = made.mutable_data<T>();
    for (std::size_t i = 0; i < numbers.size(); ++i) to[i] = element_from<T>(numbers[i]);
  };
  if (type == ElementType::kBool) {
    made = Array::make<Bool>(std::move(sizes));
    for (std::size_t i = 0; i < numbers.size(); ++i) made.mutable_data<Bool>()[i] = Bool(numbers[i] != 0);
    return made;
  }
  return dispatch(NumberTypes(), type, fill) ? std::optional(made) : std::nullopt;
}

template Array converted<float>(const Array&);
template Array converted<double>(const Array&);

}  // namespace onnxpress::ops
