// Chooses codes for a weight: scales and zero points by group, or a table of values.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// For integers, palettes, float8 and NF4. `even` as in grid_of(). Zeros stay zero.
Quantized quantize(std::shared_ptr<const FloatSource> source, const WeightRole& role, const Scheme& scheme,
                   bool even = true);

// --- One function for each way to choose a scale.

// The elements that share a scale, or a sample of them if there are very many. The range is that of all.
struct Group {
  std::span<const float> x;
  float low = 0, high = 0;  // 0 is between them
  double squares = 0;       // of the sample
  bool has_zeros = false;
};
// May the zero point be between two codes? Not if there are zeros, which must stay zero.
bool takes_offset(const Group& group, const Scheme& scheme);

// Element = (code - zero) * scale, codes from 0 to scheme.level_count() - 1.
struct GroupScale {
  float scale = 0, zero = 0;
};
GroupScale scale_by_min_max(const Group& group, const Scheme& scheme);
GroupScale scale_by_mse(const Group& group, const Scheme& scheme);
GroupScale scale_by_least_squares(const Group& group, const Scheme& scheme);
GroupScale scale_by_hqq(const Group& group, const Scheme& scheme);

// The `count` values with the least sum of squared distances from the elements, ascending (Wang and Song,
// "Ckmeans.1d.dp", 2011, on a histogram). One of them is 0 when the source has zeros.
std::vector<float> palette_of(const FloatSource& source, std::size_t count);
// Values of the codes of NF4 (Dettmers et al., "QLoRA", 2023) and of float8e4m3fn, ascending.
std::span<const float> nf4_values();
std::span<const float> float8_values();

}  // namespace onnxpress::weights
