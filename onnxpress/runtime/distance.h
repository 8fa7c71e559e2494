// How far an array is from another one that is taken for exact.
#pragma once

#include <optional>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::runtime {

struct Distance {
  double signal = 0, noise = 0;  // sums of squares over the finite elements
  double ulps = 0;               // the largest distance of an element, in units of the last place of `type`
  std::uint64_t not_finite = 0;  // elements that are infinite or not a number in one of them only

  bool is_zero() const { return noise == 0 && not_finite == 0; }
  std::optional<double> snr() const;  // dB; none when there is no noise
};

// Both as doubles, of the same shape; `type` is the one that the array had.
Distance distance_of(const ops::Array& array, const ops::Array& exact, ElementType type);

bool is_real(ElementType type);                          // a float type that can be widened
std::optional<ops::Array> as_double(const ops::Array&);  // nullopt for other types

}  // namespace onnxpress::runtime
