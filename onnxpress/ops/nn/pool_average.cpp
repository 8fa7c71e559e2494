// Averages and norms of windows and of whole planes, and the 8-bit forms of com.microsoft.
#include "onnxpress/ops/nn/pool_average.h"

#include <cmath>
#include <limits>

#include "onnxpress/ops/kernels/float_arrays.h"
#include "onnxpress/ops/kernels/pool_kernel.h"
#include "onnxpress/ops/kernels/rounded_math.h"

namespace onnxpress::ops {

namespace {

// --- Sums

// Sums term(element) over each window, then sets y = finish(sum, taps).
template <typename T, typename Term, typename Finish>
Array sum_of_windows(const PlacedPool& placed, const Array& x, bool include_pad, Term&& term, Finish&& finish) {
  Array y = Array::make<T>(placed.sizes);
  const WindowWalk walk(placed.window);
  const auto counts = tap_counts(placed.window, include_pad);
  const std::int64_t length = placed.window.axes.back().out;
  for_each_plane(placed.planes, placed.work(), [&](std::size_t plane) {
    const T* from = x.data<T>().data() + plane * placed.in;
    T* to = y.mutable_data<T>().data() + plane * placed.out;
    walk.run(
        counts, [&](std::int64_t row) { std::fill_n(to + row, length, T{0}); },
        [&](const TapRun& run) {
          const T* tap = from + run.in;
          T* sum = to + run.out;
          if (run.stride == 1) {
            for (std::int64_t i = 0; i < run.count; ++i) sum[i] += term(tap[i]);
          } else {
            for (std::int64_t i = 0; i < run.count; ++i) sum[i] += term(tap[i * run.stride]);
          }
        },
        [&](std::int64_t row, std::int64_t taps) {
          for (std::int64_t i = 0; i < length; ++i)
            to[row + i] = finish(to[row + i], static_cast<T>(taps * counts.back()[static_cast<std::size_t>(i)]));
        });
  });
  return y;
}

template <typename T>
Array average_of_windows(const PlacedPool& placed, const Array& x, bool include_pad) {
  return sum_of_windows<T>(
      placed, x, include_pad, [](T value) { return value; },
      [](T sum, T taps) { return taps == 0 ? T{0} : sum / taps; });
}

}  // namespace

bool evaluate_average_pool(Call& call) {
  const Array& given = call.array(0);
  if (given.rank() < 3) return call.fail("the input has no spatial axes");
  return dispatch_wide(given,
                       [&]<typename T>(const Array& x) {
                         const auto placed = place_windows(call, x);
                         if (!placed) return false;
                         const Array y = average_of_windows<T>(*placed, x, call.params.flag("count_include_pad"));
                         return call.done(narrowed(y, given.type()));
                       }) ||
         (call.why().empty() && call.fail_type());
}

namespace {

// `p` is a float before version 2 and an integer from then on.
std::optional<double> norm_of(Call& call) {
  const auto whole = call.params.integer("p");
  const auto p = whole ? std::optional(static_cast<double>(*whole)) : call.params.real("p");
  if (!p || !(*p > 0)) {
    call.fail("p is not positive");
    return std::nullopt;
  }
  return p;
}

// |x|^p and its inverse, without pow for the usual 1 and 2.
template <typename T>
T power_of(T value, T p) {
  const T magnitude = std::abs(value);
  if (p == T{1}) return magnitude;
  return p == T{2} ? magnitude * magnitude : rounded_power(magnitude, p);
}
template <typename T>
T root_of(T value, T p) {
  if (p == T{1}) return value;
  return p == T{2} ? std::sqrt(value) : rounded_power(value, T{1} / p);
}

}  // namespace

bool evaluate_lp_pool(Call& call) {
  const Array& given = call.array(0);
  if (given.rank() < 3) return call.fail("the input has no spatial axes");
  const auto norm = norm_of(call);
  if (!norm) return false;
  return dispatch_wide(given,
                       [&]<typename T>(const Array& x) {
                         const auto placed = place_windows(call, x);
                         if (!placed) return false;
                         const auto p = static_cast<T>(*norm);
                         const Array y = sum_of_windows<T>(
                             *placed, x, false, [p](T value) { return power_of(value, p); },
                             [p](T sum, T) { return root_of(sum, p); });
                         return call.done(narrowed(y, given.type()));
                       }) ||
         (call.why().empty() && call.fail_type());
}

namespace {

// --- Global forms: one result per plane

template <typename Fold>
bool evaluate_global(Call& call, Fold&& fold) {
  const Array& given = call.array(0);
  if (given.rank() < 2) return call.fail("the input has no channels");
  return dispatch_wide(given,
                       [&]<typename T>(const Array& x) {
                         Sizes sizes(x.rank(), 1);
                         sizes[0] = x.size(0);
                         sizes[1] = x.size(1);
                         if (!count_of(sizes)) return call.fail("the result has too many elements");
                         Array y = Array::make<T>(sizes);
                         const auto to = y.template mutable_data<T>();
                         const std::size_t length = to.empty() ? 0 : x.count() / to.size();
                         if (length == 0 && !to.empty()) return call.fail("the input has no elements");
                         for_each_plane(to.size(), length, [&](std::size_t plane) {
                           to[plane] = fold(x.template data<T>().subspan(plane * length, length));
                         });
                         return call.done(narrowed(y, given.type()));
                       }) ||
         (call.why().empty() && call.fail_type());
}

}  // namespace

bool evaluate_global_average_pool(Call& call) {
  return evaluate_global(call, []<typename T>(std::span<const T> plane) {
    double sum = 0;
    for (const T each : plane) sum += static_cast<double>(each);
    return static_cast<T>(sum / static_cast<double>(plane.size()));
  });
}

bool evaluate_global_max_pool(Call& call) {
  return evaluate_global(call, []<typename T>(std::span<const T> plane) {
    T best = -std::numeric_limits<T>::infinity();
    for (const T each : plane) best = each > best ? each : best;
    return best;
  });
}

bool evaluate_global_lp_pool(Call& call) {
  const auto norm = norm_of(call);
  if (!norm) return false;
  return evaluate_global(call, [&]<typename T>(std::span<const T> plane) {
    double sum = 0;
    for (const T each : plane) sum += power_of(static_cast<double>(each), *norm);
    return static_cast<T>(root_of(sum, *norm));
  });
}

namespace {

// --- 8-bit averages

struct Quantized {
  float x_scale = 1, y_scale = 1;
  std::int64_t x_zero = 0, y_zero = 0;
};

std::optional<Quantized> quantization_of(Call& call) {
  const auto zero = [&](std::string_view name) {
    return call.params.given(name) ? call.params.integer(name) : std::optional<std::int64_t>(0);
  };
  const auto x_scale = call.params.real("x_scale"), y_scale = call.params.real("y_scale");
  const auto x_zero = zero("x_zero_point"), y_zero = zero("y_zero_point");
  if (!x_scale || !y_scale || !x_zero || !y_zero) {
    call.fail("a scale or zero point is not a single number");
    return std::nullopt;
  }
  return Quantized{static_cast<float>(*x_scale), static_cast<float>(*y_scale), *x_zero, *y_zero};
}

template <typename T>
T quantized(float value, std::int64_t zero) {
  const float shifted = std::nearbyint(value) + static_cast<float>(zero);
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr auto kHigh = static_cast<float>(std::numeric_limits<T>::max());
  return static_cast<T>(shifted >= kLow ? std::min(shifted, kHigh) : kLow);
}

// Averages the dequantized elements and quantizes the result, like ONNX Runtime.
template <typename T>
bool quantized_average(Call& call, const Array& given, const Quantized& q) {
  const bool last = channels_are_last(call.params);
  const Array x = last ? channels_first(given) : given;
  Array real = Array::make<float>(x.sizes());
  for (std::size_t i = 0; i < x.count(); ++i)
    real.mutable_data<float>()[i] = static_cast<float>(x.data<T>()[i] - q.x_zero) * q.x_scale;
  const auto placed = place_windows(call, real);
  if (!placed) return false;
  const Array average = average_of_windows<float>(*placed, real, call.params.flag("count_include_pad"));
  Array y = Array::make<T>(placed->sizes);
  for (std::size_t i = 0; i < y.count(); ++i)
    y.mutable_data<T>()[i] = quantized<T>(average.data<float>()[i] / q.y_scale, q.y_zero);
  return call.done(last ? channels_last(y) : y);
}

}  // namespace

bool evaluate_quantized_average_pool(Call& call) {
  const Array& x = call.array(0);
  if (x.rank() < 3) return call.fail("the input has no spatial axes");
  const auto q = quantization_of(call);
  if (!q) return false;
  if (x.type() == ElementType::kUint8) return quantized_average<std::uint8_t>(call, x, *q);
  if (x.type() == ElementType::kInt8) return quantized_average<std::int8_t>(call, x, *q);
  return call.fail_type();
}

namespace {

// Sums integers exactly and scales once.
template <typename T>
bool quantized_global_average(Call& call, const Array& given, const Quantized& q) {
  const bool last = channels_are_last(call.params);
  const Array x = last ? channels_first(given) : given;
  Sizes sizes(x.rank(), 1);
  sizes[0] = x.size(0);
  sizes[1] = x.size(1);
  if (x.count() == 0) return call.fail("the input has no elements");
  Array y = Array::make<T>(sizes);
  const std::size_t length = x.count() / y.count();
  const float scale = q.x_scale / (q.y_scale * static_cast<float>(length));
  for (std::size_t plane = 0; plane < y.count(); ++plane) {
    std::int64_t sum = -q.x_zero * static_cast<std::int64_t>(length);
    for (const T each : x.data<T>().subspan(plane * length, length)) sum += each;
    y.mutable_data<T>()[plane] = quantized<T>(static_cast<float>(sum) * scale, q.y_zero);
  }
  return call.done(last ? channels_last(y) : y);
}

}  // namespace

bool evaluate_quantized_global_average_pool(Call& call) {
  const Array& x = call.array(0);
  if (x.rank() < 3) return call.fail("the input has no spatial axes");
  const auto q = quantization_of(call);
  if (!q) return false;
  if (x.type() == ElementType::kUint8) return quantized_global_average<std::uint8_t>(call, x, *q);
  if (x.type() == ElementType::kInt8) return quantized_global_average<std::int8_t>(call, x, *q);
  return call.fail_type();
}

}  // namespace onnxpress::ops
