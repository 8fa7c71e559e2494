// Sums over elements.
#include "onnxpress/runtime/distance.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::runtime {

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

double last_place(double exact, const Format& format) {
  int exponent = 0;
  std::frexp(exact, &exponent);  // exact = m * 2^exponent with m from 1/2 to 1
  return std::ldexp(1.0, std::max(exponent - 1, format.least) - format.fraction);
}

}  // namespace

std::optional<double> Distance::snr() const {
  if (noise == 0) return std::nullopt;
  return 10 * std::log10(std::max(signal, 1e-300) / noise);
}

Distance distance_of(const ops::Array& array, const ops::Array& exact, ElementType type) {
  Distance distance;
  const Format format = format_of(type);
  const auto found = array.data<double>(), wanted = exact.data<double>();
  for (std::size_t i = 0; i < found.size() && i < wanted.size(); ++i) {
    const double x = found[i], y = wanted[i];
    if (!std::isfinite(x) || !std::isfinite(y)) {
      // What is too large for the type is infinite there.
      const bool same =
          (std::isnan(x) && std::isnan(y)) || x == y || (std::isinf(x) && std::abs(y) > 6e4 && (x > 0) == (y > 0));
      distance.not_finite += same ? 0 : 1;
      continue;
    }
    distance.signal += y * y;
    distance.noise += (x - y) * (x - y);
    distance.ulps = std::max(distance.ulps, std::abs(x - y) / last_place(y, format));
  }
  return distance;
}

bool is_real(ElementType type) {
  return type == ElementType::kFloat || type == ElementType::kDouble || type == ElementType::kFloat16 ||
         type == ElementType::kBfloat16;
}

std::optional<ops::Array> as_double(const ops::Array& array) {
  if (!is_real(array.type())) return std::nullopt;
  return array.type() == ElementType::kDouble ? array : ops::converted(array, ElementType::kDouble);
}

}  // namespace onnxpress::runtime
