// Resize and Upsample: shapes, and the loops.
#include "onnxpress/ops/image/resize.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/float_arrays.h"
#include "onnxpress/ops/kernels/resize_plan.h"

namespace onnxpress::ops {

// --- Shapes

namespace {

// floor(size * scale) if that is an expression; otherwise a new symbol.
Dim scaled(Inference& in, std::size_t axis, Dim size, float scale) {
  if (scale == 1) return size;
  if (size.is_size()) {
    const std::int64_t known = resized(*size.size(), scale);
    return known >= 0 && Dim::fits(known) ? Dim::size(known) : Dim();
  }
  if (!size.is_unknown()) {
    if (const auto factor = whole_factor(scale)) return in.dims.mul(size, Dim::size(*factor));
    if (const auto divisor = whole_divisor(scale)) return in.dims.floor_div(size, Dim::size(*divisor));
  }
  return in.fresh(0, axis);
}

}  // namespace

// Early exporters wrote empty scales in addition to sizes.
bool is_empty(const Inference& in, std::string_view name) {
  const int operand = in.params.schema().operand(name);
  return operand < 0 || !in.has(static_cast<std::size_t>(operand)) ||
         in.operand(static_cast<std::size_t>(operand)).sizes() == Sizes{0};
}

namespace {

// What keeps the aspect ratio applies to sizes, not to scales.
bool require_policy(Inference& in) {
  if (!require_text(in, "keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"})) return false;
  const std::string_view policy = in.params.text_or("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || is_empty(in, "scales")) return true;
  in.contradict(fmt::format("keep_aspect_ratio_policy is '{}', which needs sizes instead of scales", policy));
  return false;
}

}  // namespace

void infer_resize(Inference& in) {
  const Shape* x = in.shape(0);
  const int sizes_operand = in.params.schema().operand("sizes");
  if (sizes_operand >= 0 && is_empty(in, "sizes") == is_empty(in, "scales"))
    return in.contradict(is_empty(in, "sizes") ? "has neither sizes nor scales" : "has both sizes and scales");
  if (sizes_operand >= 0 && !require_rank(in, static_cast<std::size_t>(sizes_operand), 1)) return;
  if (const int scales = in.params.schema().operand("scales");
      scales >= 0 && !require_rank(in, static_cast<std::size_t>(scales), 1))
    return;
  if (!x || !require_policy(in)) return;
  Shape y = *x;
  const auto axes = resized_axes(in.params, x->size());
  if (!axes) return in.set_rank(0, x->size());
  const auto factors = in.params.attribute("scales") ? in.params.reals("scales") : std::nullopt;
  if (factors && factors->size() != axes->size())
    return in.contradict(fmt::format("scales has {} entries, but needs {}", factors->size(), axes->size()));
  if (const std::string_view name = is_empty(in, "sizes") ? "scales" : "sizes"; !require_length(in, name, axes->size()))
    return;
  const auto scales = scales_of(in.params, x->size());
  const auto sizes = in.params.given("sizes") ? in.symbolic("sizes") : std::nullopt;
  std::string why;
  std::optional<std::vector<ResizeAxis>> plan;
  if (const auto known = in.operand(0).sizes()) plan = plan_resize(in.params, *known, why);
  const bool stretches = in.params.text_or("keep_aspect_ratio_policy", "stretch") == "stretch";
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = (*axes)[i];
    if (plan) {
      y[axis] = Dim::size((*plan)[axis].out);
    } else if (scales && scales->size() == axes->size()) {
      y[axis] = scaled(in, axis, y[axis], (*scales)[i]);
    } else if (stretches && sizes && sizes->size() == axes->size() && !(*sizes)[i].is_unknown()) {
      y[axis] = (*sizes)[i];
    } else {
      y[axis] = in.fresh(0, axis);
    }
  }
  in.set_shape(y);
}

namespace {

// --- Nearest: every result element is an element of the input, of any type

struct SixteenBytes {
  std::uint64_t words[2];
};

// Offsets in the input of the elements along each axis.
using Offsets = std::vector<std::vector<std::int64_t>>;

template <typename T>
void gather(const T* from, T* to, const Offsets& offsets, std::span<const std::int64_t> sizes) {
  const std::vector<std::int64_t>& inner = offsets.back();
  std::vector<std::size_t> at(sizes.size(), 0);
  std::size_t rows = inner.empty() ? 0 : 1;
  for (std::size_t axis = 0; axis + 1 < sizes.size(); ++axis) rows *= static_cast<std::size_t>(sizes[axis]);
  for (std::size_t row = 0; row < rows; ++row) {
    const T* base = from;
    for (std::size_t axis = 0; axis + 1 < sizes.size(); ++axis) base += offsets[axis][at[axis]];
    for (const std::int64_t offset : inner) *to++ = base[offset];
    for (std::size_t axis = sizes.size() - 1; axis-- > 0;) {
      if (++at[axis] < static_cast<std::size_t>(sizes[axis])) break;
      at[axis] = 0;
    }
  }
}

Array gathered(const Array& x, const Offsets& offsets, const Sizes& sizes) {
  Array y = Array::make(x.type(), sizes);
  const auto as = [&]<typename T>() {
    gather(reinterpret_cast<const T*>(x.bytes()), reinterpret_cast<T*>(y.mutable_bytes()), offsets, sizes);
  };
  if (x.is_string()) {
    gather(x.data<std::string>().data(), y.mutable_data<std::string>().data(), offsets, sizes);
  } else if (x.width() == 1) {
    as.operator()<std::uint8_t>();
  } else if (x.width() == 2) {
    as.operator()<std::uint16_t>();
  } else if (x.width() == 4) {
    as.operator()<std::uint32_t>();
  } else if (x.width() == 8) {
    as.operator()<std::uint64_t>();
  } else {
    as.operator()<SixteenBytes>();
  }
  return y;
}

// --- Linear and cubic: one axis after the other

// result[o, i, j] = sum over taps of weight * x[o, index, j].
template <typename T>
Array resized_along(const Array& x, std::size_t axis, const AxisTaps& taps, std::int64_t out) {
  Sizes sizes = x.sizes();
  sizes[axis] = out;
  Array y = Array::make<T>(sizes);
  spend_steps(y.count(), taps.width);
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= sizes[i];
  for (std::size_t i = axis + 1; i < sizes.size(); ++i) inner *= sizes[i];
  const std::int64_t in = x.size(axis);
  const T* from = x.data<T>().data();
  T* to = y.mutable_data<T>().data();
  const auto line = [&](std::size_t o) {
    const T* source = from + static_cast<std::int64_t>(o) * in * inner;
    T* target = to + static_cast<std::int64_t>(o) * out * inner;
    for (std::int64_t i = 0; i < out; ++i, target += inner) {
      const std::size_t first = static_cast<std::size_t>(i) * taps.width;
      std::fill_n(target, inner, T{0});
      for (std::size_t k = first; k < first + taps.width; ++k) {
        const auto weight = static_cast<T>(taps.weight[k]);
        const T* row = source + taps.index[k] * inner;
        if (weight == T{0}) continue;
        for (std::int64_t j = 0; j < inner; ++j) target[j] += weight * row[j];
      }
    }
  };
  constexpr std::size_t kWorthThreads = std::size_t{1} << 18;
  if (y.count() * taps.width < kWorthThreads) {
    for (std::size_t o = 0; o < static_cast<std::size_t>(outer); ++o) line(o);
  } else {
    const auto lines = static_cast<std::size_t>(outer), pieces = std::min<std::size_t>(lines, 64);
    parallel_for(pieces, [&](std::size_t piece) {
      for (std::size_t o = lines * piece / pieces; o < lines * (piece + 1) / pieces; ++o) line(o);
    });
  }
  return y;
}

// --- Extrapolation

// Sets the elements that are outside along any axis.
template <typename T>
void extrapolate(Array& y, std::span<const AxisTaps> taps, T value) {
  const auto elements = y.mutable_data<T>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::size_t rest = i;
    for (std::size_t axis = y.rank(); axis-- > 0; rest /= static_cast<std::size_t>(y.size(axis))) {
      const std::size_t at = rest % static_cast<std::size_t>(y.size(axis));
      if (!taps[axis].outside.empty() && taps[axis].outside[at]) {
        elements[i] = value;
        break;
      }
    }
  }
}

// --- The modes

bool resize_nearest(Call& call, const ResizeStyle& style, std::span<const AxisTaps> taps, const Sizes& sizes) {
  const Array& x = call.array(0);
  const Sizes strides = strides_of(x.sizes());
  Offsets offsets;
  for (std::size_t axis = 0; axis < taps.size(); ++axis) {
    auto& list = offsets.emplace_back(taps[axis].index);
    for (std::int64_t& each : list) each *= strides[axis];
  }
  Array y = gathered(x, offsets, sizes);
  if (!style.extrapolates) return call.done(std::move(y));
  return dispatch(NumberTypes(), y.type(),
                  [&]<typename T>() {
                    extrapolate<T>(y, taps, static_cast<T>(static_cast<float>(style.extrapolation)));
                    return call.done(y);
                  }) ||
         call.fail_type();
}

// Integers are truncated as in ONNX Runtime, but rounded with antialias. A value that would be whole without rounding
// errors is whole in float (as in ONNX Runtime), but may be just below it in double.
template <typename T>
Array integers_from(const Array& wide, bool rounds) {
  const Array y = converted<double>(wide);
  Array made = Array::make<T>(y.sizes());
  const auto low = static_cast<double>(std::numeric_limits<T>::min());
  const auto high = static_cast<double>(std::numeric_limits<T>::max());
  for (std::size_t i = 0; i < y.count(); ++i) {
    const double value = rounds ? std::round(y.data<double>()[i]) : y.data<double>()[i];
    // The largest 64-bit integer has no exact double, hence >=.
    made.mutable_data<T>()[i] = value >= high  ? std::numeric_limits<T>::max()
                                : value <= low ? std::numeric_limits<T>::min()
                                               : static_cast<T>(value);
  }
  return made;
}

template <typename T>
Array interpolated(const Array& x, const ResizeStyle& style, std::span<const AxisTaps> taps, const Sizes& sizes) {
  Array y = x;
  for (std::size_t axis = taps.size(); axis-- > 0;) {
    if (!taps[axis].is_identity(x.size(axis))) y = resized_along<T>(y, axis, taps[axis], sizes[axis]);
  }
  if (style.extrapolates) {
    if (y.bytes() == x.bytes()) return y;  // nothing was resized or cropped
    extrapolate<T>(y, taps, static_cast<T>(style.extrapolation));
  }
  return y;
}

bool resize_smoothly(Call& call, const ResizeStyle& style, std::span<const AxisTaps> taps, const Sizes& sizes) {
  const Array& x = call.array(0);
  if (is_float(x.type())) {
    return dispatch_wide(x,
                         [&]<typename T>(const Array& wide) {
                           return call.done(narrowed(interpolated<T>(wide, style, taps, sizes), x.type()));
                         }) ||
           call.fail_type();
  }
  return dispatch(IntegerTypes(), x.type(),
                  [&]<typename T>() {
                    using Real = std::conditional_t<(sizeof(T) > 2), double, float>;
                    const Array y = interpolated<Real>(converted<Real>(x), style, taps, sizes);
                    return call.done(integers_from<T>(y, style.antialias));
                  }) ||
         call.fail_type();
}

}  // namespace

// The taps of longer axes would take gigabytes.
constexpr std::int64_t kLongestAxis = std::int64_t{1} << 24;

bool evaluate_resize(Call& call) {
  const Array& x = call.array(0);
  const auto style = ResizeStyle::from(call.params);
  if (!style) return call.fail("mode, coordinate_transformation_mode or nearest_mode is not known");
  std::string why;
  const auto plan = plan_resize(call.params, x.sizes(), why);
  if (!plan) return call.fail(why);
  Sizes sizes;
  for (const ResizeAxis& axis : *plan) {
    if (axis.out != axis.in && std::max(axis.out, axis.in) > kLongestAxis)
      return call.fail("an axis is too long to resize");
    sizes.push_back(axis.out);
  }
  const auto count = count_of(sizes);
  if (!count) return call.fail("the result has too many elements");
  if (x.rank() == 0) return call.done(x);
  if (*count == 0) return call.done(Array::make(x.type(), sizes));
  std::vector<AxisTaps> taps;
  for (const ResizeAxis& axis : *plan) taps.push_back(taps_of(axis, *style));
  return style->mode == ResizeMode::kNearest ? resize_nearest(call, *style, taps, sizes)
                                             : resize_smoothly(call, *style, taps, sizes);
}

}  // namespace onnxpress::ops
