// How far an array is from a reference array.
#pragma once

#include <cstdint>
#include <optional>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::tasks {

struct Distance {
  double signal = 0, noise = 0, other = 0;  // sums of squares over the finite elements: right, difference, the other
  double largest = 0;                       // of the right elements, without their signs
  double max_abs = 0;                       // the largest difference
  double max_rel = 0;  // the same in parts of the element, among those of at least a thousandth of the largest
  double ulps = 0;     // the same in units of the last place of the type
  std::uint64_t not_finite = 0;  // elements that are infinite or not a number in one of them only

  bool is_zero() const { return noise == 0 && not_finite == 0; }
  std::optional<double> snr() const;     // dB; none when there is no noise
  std::optional<double> cosine() const;  // of the angle between both; none when one is zero
  // As if the elements of both stood in one array.
  void add(const Distance& more);
};

// Both as doubles, of the same shape; `type` is the one that the array had.
Distance distance_of(const ops::Array& array, const ops::Array& right, ElementType type);

bool is_real(ElementType type);                          // a float type that can be widened
std::optional<ops::Array> as_double(const ops::Array&);  // nullopt for other types
// The distance from 1 to the next number of the type.
double epsilon_of(ElementType type);

}  // namespace onnxpress::tasks
