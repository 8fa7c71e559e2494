// The geometry of Resize. Coordinates are computed in float, as in ONNX Runtime, so that the same neighbour wins where
// they decide between two.
#include "onnxpress/ops/kernels/resize_plan.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/ops/core/budget.h"

namespace onnxpress::ops {

namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 33;
// For scales of 1 / divisor up to this divisor, floor(in * scale) in float is in / divisor for every size (tested for
// all divisors up to 64; 41, 47, 55, 61 fail).
constexpr std::int64_t kMostDivisor = 32;

}  // namespace

std::optional<std::int64_t> whole_factor(float scale) {
  if (!(scale >= 1 && scale <= 1 << 24) || std::floor(scale) != scale) return std::nullopt;
  return static_cast<std::int64_t>(scale);
}

std::optional<std::int64_t> whole_divisor(float scale) {
  if (!(scale > 0 && scale < 1)) return std::nullopt;
  const auto divisor = static_cast<std::int64_t>(std::lround(std::min(1 / scale, float{kMostDivisor + 1})));
  if (divisor > kMostDivisor || 1 / static_cast<float>(divisor) != scale) return std::nullopt;
  return divisor;
}

std::int64_t resized(std::int64_t in, float scale) {
  if (const auto factor = whole_factor(scale)) return in > kMostPixels ? -1 : in * *factor;
  if (const auto divisor = whole_divisor(scale)) return in / *divisor;
  const float size = std::floor(static_cast<float>(in) * scale);
  return size >= 0 && size < static_cast<float>(kMostPixels) ? static_cast<std::int64_t>(size) : -1;
}

std::optional<std::vector<float>> scales_of(const Params& params, std::size_t rank) {
  if (params.given("height_scale")) {  // Upsample before version 7
    const auto height = params.real("height_scale"), width = params.real("width_scale");
    if (!height || !width || rank < 2) return std::nullopt;
    std::vector<float> scales(rank, 1.0F);
    scales[rank - 2] = static_cast<float>(*height);
    scales[rank - 1] = static_cast<float>(*width);
    return scales;
  }
  if (!params.given("scales")) return std::nullopt;
  auto scales = params.reals("scales");
  if (scales && scales->empty() && rank != 0) return std::nullopt;  // version 11 writes an empty list for an absent one
  return scales;
}

std::optional<std::vector<std::size_t>> resized_axes(const Params& params, std::size_t rank) {
  if (params.given("axes")) {
    const auto axes = params.integers("axes");
    if (!axes) return std::nullopt;
    if (!axes->empty()) return normal_axes(*axes, rank);
  }
  std::vector<std::size_t> all(rank);
  for (std::size_t i = 0; i < rank; ++i) all[i] = i;
  return all;
}

namespace {

// Sets the axes from `sizes`. With a keep_aspect_ratio_policy, all axes get the same scale: the smallest or the
// largest.
void apply_sizes(std::vector<ResizeAxis*>& axes, std::span<const std::int64_t> sizes, std::string_view policy) {
  double common = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = *axes[i];
    const double scale = axis.in == 0 ? 1 : static_cast<double>(sizes[i]) / static_cast<double>(axis.in);
    axis.out = sizes[i];
    axis.scale = scale;
    axis.length = static_cast<float>(sizes[i]);
    common = i == 0 ? scale : policy == "not_larger" ? std::min(common, scale) : std::max(common, scale);
  }
  if (policy != "not_larger" && policy != "not_smaller") return;
  for (ResizeAxis* axis : axes) {
    const double length = common * static_cast<double>(axis->in);
    axis->out = length < static_cast<double>(kMostPixels) ? static_cast<std::int64_t>(std::floor(length + 0.5)) : -1;
    axis->scale = common;
    axis->length = static_cast<float>(length);
  }
}

bool apply_roi(const Params& params, std::vector<ResizeAxis*>& axes) {
  const auto roi = params.reals("roi");
  if (!roi || roi->size() != 2 * axes.size()) return false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i]->roi_begin = (*roi)[i];
    axes[i]->roi_end = (*roi)[axes.size() + i];
  }
  return true;
}

}  // namespace

std::optional<std::vector<ResizeAxis>> plan_resize(const Params& params, std::span<const std::int64_t> sizes,
                                                   std::string& why) {
  const auto fail = [&](const char* reason) {
    why = reason;
    return std::nullopt;
  };
  std::vector<ResizeAxis> plan;
  for (const std::int64_t size : sizes) plan.push_back({size, size, 1, static_cast<float>(size)});
  const auto axes = resized_axes(params, sizes.size());
  if (!axes) return fail("axes are not valid");
  std::vector<ResizeAxis*> chosen;
  for (const std::size_t axis : *axes) chosen.push_back(&plan[axis]);
  if (const auto scales = scales_of(params, sizes.size())) {
    if (scales->size() != chosen.size()) return fail("the number of scales is not the number of axes");
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      ResizeAxis& axis = *chosen[i];
      if (!((*scales)[i] > 0) || !std::isfinite((*scales)[i])) return fail("a scale is not positive");
      axis.scale = static_cast<double>((*scales)[i]);
      axis.out = resized(axis.in, (*scales)[i]);
      axis.length = (*scales)[i] * static_cast<float>(axis.in);
    }
  } else {
    const auto wanted = params.integers("sizes");
    if (!wanted || wanted->size() != chosen.size()) return fail("there are neither scales nor a size for each axis");
    apply_sizes(chosen, *wanted, params.text_or("keep_aspect_ratio_policy", "stretch"));
  }
  const bool crops = params.text_or("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  if (crops && !apply_roi(params, chosen)) return fail("roi does not have two numbers per axis");
  for (const ResizeAxis& axis : plan) {
    if (axis.out < 0 || axis.out > kMostPixels || (axis.in == 0 && axis.out > 0)) return fail("a size is not valid");
    if (!std::isfinite(axis.roi_begin) || !std::isfinite(axis.roi_end)) return fail("roi is not finite");
  }
  return plan;
}

std::optional<ResizeStyle> ResizeStyle::from(const Params& params) {
  ResizeStyle style;
  const std::string_view mode = params.text_or("mode", "nearest");
  if (mode == "linear" || mode == "bilinear") {
    style.mode = ResizeMode::kLinear;
  } else if (mode == "cubic") {
    style.mode = ResizeMode::kCubic;
  } else if (mode != "nearest") {
    return std::nullopt;
  }
  // Before version 11 there were no such attributes; "simple" is the rule that test data of that time follows.
  style.coordinates = params.text_or("coordinate_transformation_mode", "asymmetric");
  style.nearest = params.text_or("nearest_mode", "simple");
  constexpr std::string_view kCoordinates[] = {"half_pixel",        "half_pixel_symmetric", "pytorch_half_pixel",
                                               "align_corners",     "asymmetric",           "tf_half_pixel_for_nn",
                                               "tf_crop_and_resize"};
  constexpr std::string_view kNearest[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"};
  if (std::find(std::begin(kCoordinates), std::end(kCoordinates), style.coordinates) == std::end(kCoordinates) ||
      std::find(std::begin(kNearest), std::end(kNearest), style.nearest) == std::end(kNearest))
    return std::nullopt;
  style.cubic_a = static_cast<float>(params.real_or("cubic_coeff_a", -0.75));
  style.exclude_outside = params.flag("exclude_outside");
  style.antialias = params.flag("antialias");
  style.extrapolates = style.coordinates == "tf_crop_and_resize";
  style.extrapolation = params.real_or("extrapolation_value", 0);
  return style;
}

namespace {

// The position of element x of the result in the input. Quotients are rounded to float only once: then 2 / (4 / 7) is
// 3.5, and so is 2 / 0.57142857f.
float original(const ResizeAxis& axis, std::string_view mode, std::int64_t x) {
  const auto at = static_cast<float>(x), in = static_cast<float>(axis.in);
  const auto scaled = [&](float place) { return static_cast<float>(static_cast<double>(place) / axis.scale); };
  if (mode == "tf_crop_and_resize") {
    if (axis.out == 1) return 0.5F * (axis.roi_begin + axis.roi_end) * (in - 1);
    const float step = (axis.roi_end - axis.roi_begin) * (in - 1) / static_cast<float>(axis.out - 1);
    return axis.roi_begin * (in - 1) + at * step;
  }
  if (axis.scale == 1 && axis.in == axis.out) return at;
  if (mode == "asymmetric") return scaled(at);
  if (mode == "tf_half_pixel_for_nn") return scaled(at + 0.5F);
  // Uses the length before rounding down, like the official test data (ONNX Runtime uses the rounded one).
  if (mode == "align_corners") return axis.length == 1 ? 0 : at * (in - 1) / (axis.length - 1);
  if (mode == "pytorch_half_pixel" && axis.out <= 1) return 0;
  const float half_pixel = scaled(at + 0.5F) - 0.5F;
  if (mode != "half_pixel_symmetric") return half_pixel;
  const float adjustment = static_cast<float>(axis.out) / axis.length;
  return in / 2 * (1 - adjustment) + half_pixel;
}

std::int64_t nearest_index(float at, std::string_view mode, double scale, std::int64_t in) {
  float chosen = std::floor(at);
  if (mode == "round_prefer_floor") {
    chosen = std::ceil(at - 0.5F);
  } else if (mode == "round_prefer_ceil") {
    chosen = std::floor(at + 0.5F);
  } else if (mode == "ceil" || (mode == "simple" && scale < 1)) {
    chosen = std::ceil(at);
  }
  return static_cast<std::int64_t>(std::clamp(chosen, 0.0F, static_cast<float>(in - 1)));
}

// The kernel of cubic convolution at distance x.
double cubic(double x, double a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Appends the weights for one result element at position `at`: taps first, first + 1, ...
void append_weights(AxisTaps& taps, const ResizeStyle& style, double at, double stretch, std::int64_t first,
                    std::int64_t in) {
  const std::size_t begin = taps.weight.size();
  double sum = 0;
  for (std::size_t k = 0; k < taps.width; ++k) {
    const std::int64_t index = first + static_cast<std::int64_t>(k);
    const double distance = (static_cast<double>(index) - at) * stretch;
    double weight = style.mode == ResizeMode::kCubic ? cubic(distance, static_cast<double>(style.cubic_a))
                                                     : std::max(1 - std::abs(distance), 0.0);
    if (style.exclude_outside && (index < 0 || index >= in)) weight = 0;
    taps.index.push_back(std::clamp<std::int64_t>(index, 0, in - 1));
    taps.weight.push_back(weight);
    sum += weight;
  }
  // The weights already sum to 1, unless the kernel is stretched or cut.
  if ((stretch == 1 && !style.exclude_outside) || sum == 0) return;
  for (std::size_t k = begin; k < taps.weight.size(); ++k) taps.weight[k] /= sum;
}

}  // namespace

AxisTaps taps_of(const ResizeAxis& axis, const ResizeStyle& style) {
  AxisTaps taps;
  // Antialiasing widens the kernel when the axis shrinks.
  const bool nearest = style.mode == ResizeMode::kNearest;
  const double stretch = style.antialias && !nearest ? std::min(axis.scale, 1.0) : 1.0;
  const double support = style.mode == ResizeMode::kCubic ? 2 : 1;
  const auto half = static_cast<std::int64_t>(std::ceil(support / stretch));
  taps.width = nearest ? 1 : static_cast<std::size_t>(2 * half);
  require_scratch(static_cast<std::uint64_t>(axis.out), taps.width * (sizeof(std::int64_t) + sizeof(double)));
  spend_steps(static_cast<std::uint64_t>(axis.out), taps.width);
  if (style.extrapolates) taps.outside.resize(static_cast<std::size_t>(axis.out));
  for (std::int64_t x = 0; x < axis.out; ++x) {
    const float at = original(axis, style.coordinates, x);
    const auto last = static_cast<float>(axis.in - 1);
    const bool outside = !(at >= 0 && at <= last);
    if (style.extrapolates && outside) taps.outside[static_cast<std::size_t>(x)] = true;
    // Far outside, only the border is read, so the exact position does not matter.
    const float near =
        std::isnan(at) ? 0 : std::clamp(at, -static_cast<float>(half) - 2, last + static_cast<float>(half) + 2);
    if (nearest) {
      taps.index.push_back(nearest_index(near, style.nearest, axis.scale, axis.in));
    } else {
      const float place = style.mode == ResizeMode::kLinear && !style.antialias ? std::clamp(near, 0.0F, last) : near;
      append_weights(taps, style, static_cast<double>(place), stretch,
                     static_cast<std::int64_t>(std::floor(place)) - half + 1, axis.in);
    }
  }
  return taps;
}

bool AxisTaps::is_identity(std::int64_t in) const {
  if (index.size() != static_cast<std::size_t>(in) * width) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(in); ++i) {
    double own = weight.empty() ? 1 : 0;
    for (std::size_t k = 0; k < width; ++k) {
      const bool is_own = index[i * width + k] == static_cast<std::int64_t>(i);
      if (weight.empty() ? !is_own : !is_own && weight[i * width + k] != 0) return false;
      if (is_own && !weight.empty()) own += weight[i * width + k];
    }
    if (own != 1) return false;
  }
  return true;
}

}  // namespace onnxpress::ops
