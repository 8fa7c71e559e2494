// How far an array is from a reference array.
#pragma once

#include <cstdint>
#include <optional>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::compare {

struct Distance {
  // Sums over the elements that are finite in both arrays: the squares of the reference, of the difference and of the
  // other array, and the absolute differences.
  double signal = 0, noise = 0, other = 0, absolute = 0;
  std::uint64_t counted = 0;     // how many elements these are
  double largest = 0;            // largest absolute value in the reference
  double max_abs = 0;            // the largest difference
  double max_rel = 0;            // the same relative to the element, for those of at least a thousandth of the largest
  double ulps = 0;               // the same in units of the last place of the type
  std::uint64_t not_finite = 0;  // elements that are infinite or not a number in one of them only

  bool is_zero() const { return noise == 0 && not_finite == 0; }
  std::optional<double> snr() const;     // in dB; nullopt when there is no noise
  std::optional<double> cosine() const;  // of the angle between both; nullopt when one is zero
  double mean_abs() const;               // the mean absolute difference
  // Adds another distance, as if the elements of both were in one array.
  void add(const Distance& more);
};

// Both are doubles of the same shape; `type` is the original type of the array.
Distance distance_of(const ops::Array& array, const ops::Array& right, ElementType type);
// The same for numbers of any type, and for bools; both arrays have the same type and shape. An element that is finite
// in the reference only counts as zero in the other array: its signal is lost. `max_rel` and `ulps` are not measured,
// because they take more time than all the rest.
Distance loss_between(const ops::Array& array, const ops::Array& right);
// The sum of the squares of the finite elements; 0 for texts.
double energy_of(const ops::Array& array);

bool is_real(ElementType type);                          // a float type that can be widened
std::optional<ops::Array> as_double(const ops::Array&);  // nullopt for other types
// The distance from 1 to the next number of the type.
double epsilon_of(ElementType type);

}  // namespace onnxpress::compare
