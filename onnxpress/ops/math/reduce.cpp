// Reductions are computed in float, double, int64 or uint64; sums of floats add up in double.
#include "onnxpress/ops/math/reduce.h"

#include <cmath>
#include <limits>

#include "onnxpress/ops/kernels/axis_layout.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/rounded_math.h"

namespace onnxpress::ops {

namespace {

// Floats are summed in double; signed integers wrap around as unsigned ones.
template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, float>, double,
                                 std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>>;

struct AddUp {
  template <typename T>
  using Total = SumOf<T>;
  template <typename T>
  static constexpr Total<T> kStart = 0;
  template <typename A>
  static A merged(A a, A b) {
    return a + b;
  }
  template <typename T>
  static Total<T> value(T x) {
    return static_cast<Total<T>>(x);
  }
};
struct AddSizes : AddUp {
  template <typename T>
  static Total<T> value(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::abs(static_cast<Total<T>>(x));
    return x < 0 ? 0 - static_cast<Total<T>>(x) : static_cast<Total<T>>(x);
  }
};
struct AddSquares : AddUp {
  template <typename T>
  static Total<T> value(T x) {
    return static_cast<Total<T>>(x) * static_cast<Total<T>>(x);
  }
};
struct Multiply {
  template <typename T>
  using Total = SumOf<T>;
  template <typename T>
  static constexpr Total<T> kStart = 1;
  template <typename A>
  static A merged(A a, A b) {
    return a * b;
  }
  template <typename T>
  static Total<T> value(T x) {
    return static_cast<Total<T>>(x);
  }
};
// NaN wins.
struct Largest {
  template <typename T>
  using Total = T;
  template <typename T>
  static constexpr T kStart = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                          : std::numeric_limits<T>::lowest();
  template <typename A>
  static A merged(A a, A b) {
    return b > a || b != b ? b : a;  // NOLINT(misc-redundant-expression): is it a nan
  }
  template <typename T>
  static T value(T x) {
    return x;
  }
};
struct Smallest : Largest {
  template <typename T>
  static constexpr T kStart = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                          : std::numeric_limits<T>::max();
  template <typename A>
  static A merged(A a, A b) {
    return b < a || b != b ? b : a;  // NOLINT(misc-redundant-expression)
  }
};

// Several totals side by side, so that the loop vectorizes and rounding errors of long rows stay small.
template <typename Fold, typename T>
auto fold_row(const T* row, std::size_t length) {
  using Total = typename Fold::template Total<T>;
  constexpr std::size_t kLanes = 8;
  Total lanes[kLanes];
  std::fill_n(lanes, kLanes, Fold::template kStart<T>);
  std::size_t i = 0;
  for (; i + kLanes <= length; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = Fold::merged(lanes[k], Fold::template value<T>(row[i + k]));
  }
  for (; i < length; ++i) lanes[0] = Fold::merged(lanes[0], Fold::template value<T>(row[i]));
  for (std::size_t k = 1; k < kLanes; ++k) lanes[0] = Fold::merged(lanes[0], lanes[k]);
  return lanes[0];
}

// Computes the result from the total of `count` elements.
template <typename T, typename Total>
T finished(Reduction kind, Total total, std::size_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    if (kind == Reduction::kMean) return static_cast<T>(total / static_cast<Total>(count));
    if (kind == Reduction::kL2) return static_cast<T>(std::sqrt(total));
    if (kind == Reduction::kLogSum) return static_cast<T>(std::log(total));
  } else {
    if (kind == Reduction::kMean) return static_cast<T>(static_cast<T>(total) / static_cast<T>(count));
  }
  return static_cast<T>(total);
}

// Folds `inner` columns side by side, in pieces that stay in the cache.
template <typename Fold, typename T>
void fold_columns(const T* from, std::size_t length, std::size_t inner, Reduction kind, T* to) {
  using Total = typename Fold::template Total<T>;
  constexpr std::size_t kPiece = 512;
  Total totals[kPiece];
  for (std::size_t begin = 0; begin < inner; begin += kPiece) {
    const std::size_t width = std::min(inner - begin, kPiece);
    std::fill_n(totals, width, Fold::template kStart<T>);
    for (std::size_t k = 0; k < length; ++k) {
      const T* row = from + k * inner + begin;
      for (std::size_t i = 0; i < width; ++i) totals[i] = Fold::merged(totals[i], Fold::template value<T>(row[i]));
    }
    for (std::size_t i = 0; i < width; ++i) to[begin + i] = finished<T>(kind, totals[i], length);
  }
}

template <typename Fold, typename T>
void fold(const AxisLayout& layout, Reduction kind, const T* from, T* to) {
  const std::size_t size = layout.length * layout.inner;
  for_pieces(
      layout.outer,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          if (layout.inner == 1) {
            to[i] = finished<T>(kind, fold_row<Fold>(from + i * size, size), size);
          } else {
            fold_columns<Fold>(from + i * size, layout.length, layout.inner, kind, to + i * layout.inner);
          }
        }
      },
      size);
}

// max + log(sum(exp(x - max))), so that nothing overflows.
template <typename T>
void fold_log_sum_exp(const AxisLayout& layout, const T* from, T* to) {
  std::vector<T> row(layout.length);
  for (std::size_t i = 0; i < layout.outer * layout.inner; ++i) {
    const T* column = from + i / layout.inner * layout.length * layout.inner + i % layout.inner;
    for (std::size_t k = 0; k < layout.length; ++k) row[k] = column[k * layout.inner];
    const T largest = fold_row<Largest>(row.data(), row.size());
    const T shift = std::isfinite(largest) ? largest : T{0};
    double sum = 0;
    for (const T x : row) sum += static_cast<double>(rounded_exponential(x - shift));
    to[i] = static_cast<T>(std::log(sum) + static_cast<double>(shift));
  }
}

template <typename T>
void reduce(const AxisLayout& layout, Reduction kind, const T* from, T* to) {
  switch (kind) {
    case Reduction::kSum:
    case Reduction::kMean:
    case Reduction::kLogSum:
      return fold<AddUp>(layout, kind, from, to);
    case Reduction::kL1:
      return fold<AddSizes>(layout, kind, from, to);
    case Reduction::kL2:
    case Reduction::kSumSquare:
      return fold<AddSquares>(layout, kind, from, to);
    case Reduction::kProd:
      return fold<Multiply>(layout, kind, from, to);
    case Reduction::kMax:
      return fold<Largest>(layout, kind, from, to);
    case Reduction::kMin:
      return fold<Smallest>(layout, kind, from, to);
    case Reduction::kLogSumExp:
      if constexpr (std::is_floating_point_v<T>) fold_log_sum_exp(layout, from, to);
  }
}

// The type to compute in: integers for integers, unless the result takes a root or a logarithm.
ElementType computed_type(ElementType type, Reduction kind) {
  if (type == ElementType::kDouble) return type;
  if (is_float(type)) return ElementType::kFloat;
  if (kind == Reduction::kL2 || kind == Reduction::kLogSum || kind == Reduction::kLogSumExp)
    return ElementType::kDouble;
  return type == ElementType::kUint64 ? type : ElementType::kInt64;
}

// The axes to reduce, in ascending order; nullopt after Call::fail.
std::optional<std::vector<std::size_t>> reduced_axes(Call& call, std::size_t rank) {
  std::vector<std::int64_t> axes;
  if (call.params.given("axes")) {
    const auto list = call.params.integers("axes");
    if (!list) return call.fail("'axes' is not a list of integers"), std::nullopt;
    axes = *list;
  }
  std::vector<std::size_t> all;
  if (axes.empty()) {
    for (std::size_t i = 0; i < rank && !call.params.flag("noop_with_empty_axes"); ++i) all.push_back(i);
    return all;
  }
  auto normal = normal_axes(axes, rank);
  if (!normal) return call.fail("an axis is out of range or occurs twice"), std::nullopt;
  std::sort(normal->begin(), normal->end());
  return normal;
}

// Moves the given axes to the end, where they can be walked as one.
template <typename T>
Array moved_last(const Array& x, std::span<const std::size_t> axes) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
  }
  order.insert(order.end(), axes.begin(), axes.end());
  const Sizes own = strides_of(x.sizes());
  Sizes sizes, strides, at(x.rank(), 0);
  for (const std::size_t axis : order) {
    sizes.push_back(x.size(axis));
    strides.push_back(own[axis]);
  }
  Array result = Array::make<T>(sizes);
  const auto from = x.data<T>();
  std::int64_t offset = 0;
  for (T& to : result.template mutable_data<T>()) {
    to = from[static_cast<std::size_t>(offset)];
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++at[axis] < sizes[axis]) break;
      offset -= strides[axis] * sizes[axis];
      at[axis] = 0;
    }
  }
  return result;
}

Sizes sizes_without(const Sizes& sizes, std::span<const std::size_t> axes, bool keep) {
  Sizes result;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!reduced) result.push_back(sizes[i]);
    if (reduced && keep) result.push_back(1);
  }
  return result;
}

// The result of reducing no elements.
bool evaluate_empty(Call& call, Reduction kind, ElementType type, const Sizes& sizes) {
  const bool largest = kind == Reduction::kMin, least = kind == Reduction::kMax;
  if (is_integer(type) || type == ElementType::kBool) {
    const bool is_signed = name_of(type).starts_with('i');
    const int bits = type == ElementType::kBool ? 1 : bits_of(type);
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    std::uint64_t value = kind == Reduction::kProd ? 1 : 0;
    if (largest) value = is_signed ? top - 1 : top - 1 + top;
    if (least && is_signed) value = 0 - top;
    if (kind == Reduction::kMean || kind == Reduction::kLogSum || kind == Reduction::kLogSumExp)
      return call.fail("the mean or logarithm of no integers is not defined");
    Array filled = Array::make<std::uint64_t>(sizes);
    std::fill_n(filled.mutable_data<std::uint64_t>().data(), filled.count(), value);
    return call.done(*converted(filled, type));
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double value = kind == Reduction::kProd ? 1 : 0;
  if (largest) value = kInfinity;
  if (least || kind == Reduction::kLogSum || kind == Reduction::kLogSumExp) value = -kInfinity;
  if (kind == Reduction::kMean) value = std::numeric_limits<double>::quiet_NaN();
  Array filled = Array::make<double>(sizes);
  std::fill_n(filled.mutable_data<double>().data(), filled.count(), value);
  return call.done(*converted(filled, type));
}

}  // namespace

bool evaluate_reduction(Call& call, Reduction kind) {
  const Array& x = call.array(0);
  const ElementType type = x.type();
  if (!is_float(type) && !is_integer(type) && type != ElementType::kBool) return call.fail_type();
  const auto axes = reduced_axes(call, x.rank());
  if (!axes) return false;
  const Sizes sizes = sizes_without(x.sizes(), *axes, call.params.integer_or("keepdims", 1) == 1);
  if (x.count() == 0) return evaluate_empty(call, kind, type, sizes);
  const auto wide = converted(x, computed_type(type, kind));
  if (!wide) return call.fail_type();
  using Types = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kInt64, ElementType::kUint64>;
  return dispatch(Types(), wide->type(), [&]<typename T>() {
    const bool neighbours = axes->empty() || axes->back() - axes->front() + 1 == axes->size();
    const Array data = neighbours ? *wide : moved_last<T>(*wide, *axes);
    const std::size_t begin = axes->empty() ? x.rank() : neighbours ? axes->front() : x.rank() - axes->size();
    const AxisLayout layout(data.sizes(), begin, begin + axes->size());
    Array result = Array::make<T>(sizes);
    reduce(layout, kind, data.template data<T>().data(), result.template mutable_data<T>().data());
    return call.done(*converted(result, type));
  });
}

}  // namespace onnxpress::ops
