// What a Resize does along each axis: its sizes, and which elements a result element is made of.
#pragma once

#include <optional>
#include <string>

#include "onnxpress/ops/core/params.h"

namespace onnxpress::ops {

struct ResizeAxis {
  std::int64_t in = 0, out = 0;
  double scale = 1;
  float length = 0;                  // of the result before rounding down: scale * in
  float roi_begin = 0, roi_end = 1;  // of tf_crop_and_resize
};

enum class ResizeMode : std::uint8_t { kNearest, kLinear, kCubic };

// How coordinates of the result are mapped to coordinates of the input, and those to an index or weights.
struct ResizeStyle {
  ResizeMode mode = ResizeMode::kNearest;
  std::string_view coordinates, nearest;
  float cubic_a = -0.75F;
  bool exclude_outside = false, antialias = false, extrapolates = false;
  double extrapolation = 0;

  // Nullopt when the name of a mode is not known.
  static std::optional<ResizeStyle> from(const Params& params);
};

// The elements whose weighted sum is a result element along an axis: `width` for each result element.
struct AxisTaps {
  std::size_t width = 1;
  std::vector<std::int64_t> index;
  std::vector<double> weight;
  std::vector<bool> outside;  // elements that take the extrapolation value; empty when none does

  bool is_identity(std::int64_t in) const;
};

// The result's size along an axis of `in` elements.
std::int64_t resized(std::int64_t in, float scale);
// whole_factor() is 3 for the scale 3, whole_divisor() is 4 for the scale 0.25; nullopt for other scales. Then
// resized() is an exact product or division.
std::optional<std::int64_t> whole_factor(float scale);
std::optional<std::int64_t> whole_divisor(float scale);

// The scales of the node, one per axis in `axes`, whether attributes or an operand; nullopt when absent or not known.
std::optional<std::vector<float>> scales_of(const Params& params, std::size_t rank);
// The axes that scales and sizes refer to; nullopt when they are not valid.
std::optional<std::vector<std::size_t>> resized_axes(const Params& params, std::size_t rank);
// Plans every axis of an input with these sizes; nullopt, with the reason in `why`, when the parameters do not match.
std::optional<std::vector<ResizeAxis>> plan_resize(const Params& params, std::span<const std::int64_t> sizes,
                                                   std::string& why);
AxisTaps taps_of(const ResizeAxis& axis, const ResizeStyle& style);

}  // namespace onnxpress::ops
