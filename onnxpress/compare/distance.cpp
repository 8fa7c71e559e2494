// Compares two arrays element by element: sums of squares, and the largest difference in several units.
#include "onnxpress/compare/distance.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/base/signal_to_noise.h"
#include "onnxpress/compare/array_numbers.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::compare {

namespace {

// Bits of the fraction and the exponent of the smallest normal number.
struct Format {
  int fraction, least;
};
Format format_of(ElementType type) {
  if (type == ElementType::kFloat16) return {10, -14};
  if (type == ElementType::kBfloat16) return {7, -126};
  return type == ElementType::kDouble ? Format{52, -1022} : Format{23, -126};
}

double last_place(double right, const Format& format) {
  int exponent = 0;
  std::frexp(right, &exponent);  // right = m * 2^exponent with m from 1/2 to 1
  return std::ldexp(1.0, std::max(exponent - 1, format.least) - format.fraction);
}

// Numbers of at least this size are rounded to infinity.
double overflow_of(const Format& format) {
  if (format.fraction == 52) return INFINITY;
  return std::ldexp(2 - std::ldexp(1.0, -format.fraction - 1), 1 - format.least);
}

bool is_same_infinity(double x, double y, double overflow) {
  return (std::isnan(x) && std::isnan(y)) || x == y || (std::isinf(x) && std::abs(y) >= overflow && (x > 0) == (y > 0));
}

}  // namespace

std::optional<double> Distance::snr() const {
  if (noise == 0) return std::nullopt;
  return signal_to_noise(signal, noise);
}

std::optional<double> Distance::cosine() const {
  const double lengths = std::sqrt(signal) * std::sqrt(other);
  if (!(lengths > 0)) return std::nullopt;
  return std::clamp((signal + other - noise) / 2 / lengths, -1.0, 1.0);
}

double Distance::mean_abs() const { return counted > 0 ? absolute / static_cast<double>(counted) : 0; }

void Distance::add(const Distance& more) {
  signal += more.signal, noise += more.noise, other += more.other, absolute += more.absolute;
  counted += more.counted;
  not_finite += more.not_finite;
  largest = std::max(largest, more.largest);
  max_abs = std::max(max_abs, more.max_abs);
  max_rel = std::max(max_rel, more.max_rel);
  ulps = std::max(ulps, more.ulps);
}

Distance distance_of(const ops::Array& array, const ops::Array& right, ElementType type) {
  Distance distance;
  const Format format = format_of(type);
  const double overflow = overflow_of(format);
  const auto found = array.data<double>(), wanted = right.data<double>();
  const std::size_t count = std::min(found.size(), wanted.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(wanted[i])) distance.largest = std::max(distance.largest, std::abs(wanted[i]));
  }
  const double counts_from = distance.largest * 1e-3;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = found[i], y = wanted[i];
    if (!std::isfinite(x) || !std::isfinite(y)) {
      distance.not_finite += is_same_infinity(x, y, overflow) ? 0 : 1;
      continue;
    }
    const double off = std::abs(x - y);
    distance.signal += y * y;
    distance.other += x * x;
    ++distance.counted;
    if (off == 0) continue;
    distance.noise += off * off;
    distance.absolute += off;
    distance.max_abs = std::max(distance.max_abs, off);
    if (std::abs(y) >= counts_from && y != 0) distance.max_rel = std::max(distance.max_rel, off / std::abs(y));
    distance.ulps = std::max(distance.ulps, off / last_place(y, format));
  }
  return distance;
}

Distance loss_between(const ops::Array& array, const ops::Array& right) {
  Distance loss;
  with_numbers(right, array, [&](const auto& wanted, const auto& found) {
    for (std::size_t i = 0; i < right.count(); ++i) {
      const double y = wanted(i), x = found(i);
      if (!std::isfinite(y)) continue;
      loss.not_finite += std::isfinite(x) ? 0 : 1;
      const double left = std::isfinite(x) ? x : 0, off = std::abs(y - left);
      loss.signal += y * y, loss.other += left * left, loss.noise += off * off;
      loss.absolute += off, loss.max_abs = std::max(loss.max_abs, off);
      loss.largest = std::max(loss.largest, std::abs(y));
      ++loss.counted;
    }
  });
  return loss;
}

double energy_of(const ops::Array& array) {
  double sum = 0;
  with_numbers(array, [&](const auto& number) {
    for (std::size_t i = 0; i < array.count(); ++i) sum += std::isfinite(number(i)) ? number(i) * number(i) : 0;
  });
  return sum;
}

bool is_real(ElementType type) {
  return type == ElementType::kFloat || type == ElementType::kDouble || type == ElementType::kFloat16 ||
         type == ElementType::kBfloat16;
}

std::optional<ops::Array> as_double(const ops::Array& array) {
  if (!is_real(array.type())) return std::nullopt;
  return array.type() == ElementType::kDouble ? array : ops::converted(array, ElementType::kDouble);
}

double epsilon_of(ElementType type) { return std::ldexp(1.0, -format_of(type).fraction); }

}  // namespace onnxpress::compare
