// Keys of elements.
#include "onnxpress/ops/kernels/sort_keys.h"

namespace onnxpress::ops {

namespace {

using ExactAsDouble =
    TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
             ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16, ElementType::kUint32,
             ElementType::kInt32, ElementType::kBool, ElementType::kFloat8e4m3fn, ElementType::kFloat8e4m3fnuz,
             ElementType::kFloat8e5m2, ElementType::kFloat8e5m2fnuz, ElementType::kUint4, ElementType::kInt4>;

template <typename T>
std::vector<NumberKey> parts_of(const Array& array) {
  std::vector<NumberKey> keys;
  keys.reserve(2 * array.count());
  for (const T& each : array.data<T>()) {
    keys.push_back({static_cast<double>(each.real())});
    keys.push_back({static_cast<double>(each.imag())});
  }
  return keys;
}

}  // namespace

SortKeys::SortKeys(const Array& array) {
  if (array.type() == ElementType::kInt64) {
    const auto from = array.data<std::int64_t>();
    keys = std::vector<std::int64_t>(from.begin(), from.end());
  } else if (array.type() == ElementType::kUint64) {
    std::vector<std::int64_t> list;
    // Shifted by half of the range, which keeps the order.
    for (const std::uint64_t each : array.data<std::uint64_t>())
      list.push_back(static_cast<std::int64_t>(each ^ (std::uint64_t{1} << 63)));
    keys = std::move(list);
  } else if (array.is_string()) {
    const auto from = array.data<std::string>();
    keys = std::vector<std::string_view>(from.begin(), from.end());
  } else if (array.type() == ElementType::kComplex64 || array.type() == ElementType::kComplex128) {
    per_element = 2;
    keys = array.type() == ElementType::kComplex64 ? parts_of<std::complex<float>>(array)
                                                   : parts_of<std::complex<double>>(array);
  } else {
    dispatch(ExactAsDouble(), array.type(), [&]<typename T>() {
      std::vector<NumberKey> list(array.count());
      const auto from = array.data<T>();
      for (std::size_t i = 0; i < from.size(); ++i)
        list[i].number = static_cast<double>(static_cast<Computed<T>>(from[i]));
      keys = std::move(list);
    });
  }
}

}  // namespace onnxpress::ops
