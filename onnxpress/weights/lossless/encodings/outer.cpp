// Tables that are a sum or a product of a column and a row: position grids, rotary angles.
//
//   before: w[i, j] = u[i] + v[j], or u[i] * v[j]
//   after:  w = Add(u as a column, v), or Mul
//
// Sums and products are rounded as in the runtime, so most float tables are rejected at their second row.
#include <cmath>
#include <type_traits>
#include <vector>

#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

template <typename T>
struct Parts {
  std::string_view op_type;
  std::vector<T> column, row;
};

template <typename T, typename Combine>
bool gives(Elements<T> w, const Parts<T>& parts, Combine&& combine) {
  const std::size_t columns = parts.row.size();
  for (std::size_t i = 0; i < parts.column.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const T made = combine(parts.column[i], parts.row[j]), is = w[i * columns + j];
      if (__builtin_memcmp(&made, &is, sizeof(T)) != 0) return false;
    }
  }
  return true;
}

template <typename T>
T add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
  } else {
    return a + b;
  }
}

template <typename T>
std::optional<Parts<T>> sum_of(Elements<T> w, std::size_t rows, std::size_t columns) {
  Parts<T> parts{.op_type = "Add", .column = {}, .row = {}};
  for (std::size_t i = 0; i < rows; ++i) parts.column.push_back(w[i * columns]);
  for (std::size_t j = 0; j < columns; ++j) {
    if constexpr (std::is_integral_v<T>) {
      using Bits = std::make_unsigned_t<T>;
      parts.row.push_back(static_cast<T>(static_cast<Bits>(w[j]) - static_cast<Bits>(w[0])));
    } else {
      parts.row.push_back(w[j] - w[0]);
    }
  }
  if (!gives(w, parts, add<T>)) return std::nullopt;
  return parts;
}

// Takes row 0 or 1 as the unit: rotary angles are position * frequency, so the row of position 1 has the frequencies.
template <typename T>
std::optional<Parts<T>> product_of(Elements<T> w, std::size_t rows, std::size_t columns) {
  for (std::size_t unit = 0; unit < std::min<std::size_t>(rows, 2); ++unit) {
    if (w[unit * columns] == 0 || !std::isfinite(w[unit * columns])) continue;
    Parts<T> parts{.op_type = "Mul", .column = {}, .row = {}};
    for (std::size_t j = 0; j < columns; ++j) parts.row.push_back(w[unit * columns + j]);
    for (std::size_t i = 0; i < rows; ++i) {
      const T ratio = w[i * columns] / parts.row[0], whole = std::nearbyint(ratio);
      parts.column.push_back(std::abs(ratio - whole) < T(1e-3) ? whole : ratio);
    }
    if (gives(w, parts, [](T a, T b) { return a * b; })) return parts;
  }
  return std::nullopt;
}

template <typename T>
std::optional<Parts<T>> parts_of(Elements<T> w, std::size_t rows, std::size_t columns) {
  auto found = sum_of(w, rows, columns);
  if constexpr (std::is_floating_point_v<T>) {
    if (!found) found = product_of(w, rows, columns);
  }
  return found;
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  return Bytes::owned(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
}

template <typename T>
std::optional<Chain> find_in(const Candidate& tensor) {
  const auto dims = tensor.dims();
  // Everything before an axis is the column, everything from it on the row.
  std::size_t rows = 1;
  for (std::size_t axis = 1; axis < dims.size(); ++axis) {
    rows *= static_cast<std::size_t>(dims[axis - 1]);
    const std::size_t columns = tensor.count() / rows;
    if (rows < 2 || columns < 2) continue;
    const auto parts = parts_of(tensor.elements<T>(), rows, columns);
    if (!parts) continue;
    ChainBuilder chain(tensor);
    std::vector<std::int64_t> column(dims.begin(), dims.end());
    std::fill(column.begin() + static_cast<std::ptrdiff_t>(axis), column.end(), 1);
    const auto u = chain.constant(tensor.type(), column, bytes_of(parts->column));
    const auto v = chain.constant(tensor.type(), dims.subspan(axis), bytes_of(parts->row));
    chain.op(parts->op_type, {u, v});
    return chain.finish();
  }
  return std::nullopt;
}

std::optional<Chain> find_outer(const Candidate& tensor) {
  if (tensor.statistics().is_splat || tensor.count() < 4) return std::nullopt;
  switch (tensor.type()) {
    case ElementType::kFloat:
      return find_in<float>(tensor);
    case ElementType::kDouble:
      return find_in<double>(tensor);
    case ElementType::kInt32:
      return find_in<std::int32_t>(tensor);
    case ElementType::kInt64:
      return find_in<std::int64_t>(tensor);
    default:
      return std::nullopt;
  }
}

}  // namespace

constinit const Encoding outer = {
    .name = "outer", .summary = "tables that are the sum or product of a column and a row", .find = find_outer};

}  // namespace onnxpress::weights
