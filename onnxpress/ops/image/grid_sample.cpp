// GridSample, for any number of spatial axes.
#include "onnxpress/ops/image/grid_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/float_arrays.h"

namespace onnxpress::ops {

void infer_grid_sample(Inference& in) {
  if (in.result_count() > 0 && in.operand(0).is_tensor()) in.set_element(0, in.operand(0).element);
  const Shape *x = in.shape(0), *grid = in.shape(1);
  if (!require_rank_at_least(in, 0, 3) || (x && !require_rank(in, 1, x->size()))) return;
  if (!x && !grid) return;
  Shape y(x ? x->size() : grid->size());
  if (y.size() < 3) return;
  if (x && grid) in.unify((*x)[0], (*grid)[0]);
  if (grid) in.unify(grid->back(), Dim::size(static_cast<std::int64_t>(grid->size()) - 2));
  y[0] = x && !(*x)[0].is_unknown() ? (*x)[0] : grid ? (*grid)[0] : Dim();
  if (x) y[1] = (*x)[1];
  for (std::size_t i = 2; grid && i < y.size(); ++i) y[i] = (*grid)[i - 1];
  in.set_shape(y);
}

namespace {

enum class Padding : std::uint8_t { kZeros, kBorder, kReflection };
enum class Sampling : std::uint8_t { kNearest, kLinear, kCubic };

struct GridStyle {
  Padding padding = Padding::kZeros;
  Sampling sampling = Sampling::kLinear;
  bool align_corners = false;

  static std::optional<GridStyle> from(const Params& params) {
    GridStyle style;
    const std::string_view padding = params.text_or("padding_mode", "zeros"), mode = params.text_or("mode", "linear");
    if (padding == "border") {
      style.padding = Padding::kBorder;
    } else if (padding == "reflection") {
      style.padding = Padding::kReflection;
    } else if (padding != "zeros") {
      return std::nullopt;
    }
    if (mode == "nearest") {
      style.sampling = Sampling::kNearest;
    } else if (mode == "cubic" || mode == "bicubic") {
      style.sampling = Sampling::kCubic;
    } else if (mode != "linear" && mode != "bilinear") {
      return std::nullopt;
    }
    style.align_corners = params.flag("align_corners");
    return style;
  }
};

// Folds x back into [low, high] by reflection at both ends.
template <typename T>
T reflected(T x, T low, T high) {
  const T range = high - low;
  if (!(range > 0)) return low;
  const T beyond = x < low ? low - x : x > high ? x - high : T{-1};
  if (beyond < 0) return x;
  const T turns = std::floor(beyond / range), rest = beyond - turns * range;
  const bool even = std::fmod(turns, T{2}) == 0;
  return (x < low) == even ? low + rest : high - rest;
}

// Up to four elements along one axis, and their weights; index -1 stands for a zero of the padding.
template <typename T>
struct AxisSamples {
  int count = 0;
  std::int64_t index[4] = {};
  T weight[4] = {};
};

// Coefficients of cubic convolution with a = -0.75, for taps at -1, 0, 1, 2 around a point at t in [0, 1).
template <typename T>
void cubic_weights(T t, T* weights) {
  const T a = T(-0.75);
  const auto near = [a](T x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [a](T x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  weights[0] = far(t + 1);
  weights[1] = near(t);
  weights[2] = near(1 - t);
  weights[3] = far(2 - t);
}

template <typename T>
AxisSamples<T> samples_along(const GridStyle& style, T place, std::int64_t size) {
  const auto length = static_cast<T>(size);
  const T low = style.align_corners ? T{0} : T(-0.5), high = style.align_corners ? length - 1 : length - T(0.5);
  T at = style.align_corners ? (place + 1) / 2 * (length - 1) : ((place + 1) * length - 1) / 2;
  if (style.sampling == Sampling::kNearest) at = std::nearbyint(at);
  if (!(at >= low && at <= high)) {
    // Cubic taps are clamped to the border one by one, as in PyTorch and ONNX Runtime.
    if (style.padding == Padding::kBorder && style.sampling != Sampling::kCubic) at = std::clamp(at, T{0}, length - 1);
    if (style.padding == Padding::kReflection) at = reflected(at, low, high);
  }
  // Positions far outside read only padding; NaN is treated as such a position.
  at = std::isnan(at) ? T{-4} : std::clamp(at, T{-4}, length + 4);
  const auto index_of = [&](std::int64_t i) -> std::int64_t {
    if (i >= 0 && i < size) return i;
    if (style.padding == Padding::kZeros) return -1;
    const T inside =
        style.padding == Padding::kReflection ? reflected(static_cast<T>(i), low, high) : static_cast<T>(i);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(inside), 0, size - 1);
  };
  AxisSamples<T> samples;
  if (style.sampling == Sampling::kNearest) {
    samples.count = 1;
    samples.index[0] = index_of(static_cast<std::int64_t>(std::nearbyint(at)));
    samples.weight[0] = 1;
    return samples;
  }
  const T floor = std::floor(at), part = at - floor;
  const bool linear = style.sampling == Sampling::kLinear;
  const std::int64_t first = static_cast<std::int64_t>(floor) - (linear ? 0 : 1);
  samples.count = linear ? 2 : 4;
  for (int k = 0; k < samples.count; ++k) samples.index[k] = index_of(first + k);
  if (linear) {
    samples.weight[0] = 1 - part;
    samples.weight[1] = part;
  } else {
    cubic_weights(part, samples.weight);
  }
  return samples;
}

// All elements of a plane that contribute to one result element.
template <typename T>
struct PointSamples {
  std::vector<std::int64_t> offset;
  std::vector<T> weight;

  // `place` is a row of the grid. It begins with x, which is the last axis.
  void set(const GridStyle& style, const T* place, std::span<const std::int64_t> spatial) {
    offset.assign(1, 0);
    weight.assign(1, T{1});
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
      const auto along = samples_along(style, place[spatial.size() - 1 - axis], spatial[axis]);
      const std::size_t before = offset.size();
      std::vector<std::int64_t> offsets;
      std::vector<T> weights;
      for (std::size_t i = 0; i < before; ++i) {
        for (int k = 0; k < along.count; ++k) {
          if (along.index[k] < 0) continue;
          offsets.push_back(offset[i] * spatial[axis] + along.index[k]);
          weights.push_back(weight[i] * along.weight[k]);
        }
      }
      offset.swap(offsets);
      weight.swap(weights);
    }
  }
};

template <typename T>
Array sampled(const GridStyle& style, const Array& x, const Array& grid, const Sizes& sizes) {
  Array y = Array::make<T>(sizes);
  const std::span<const std::int64_t> spatial = std::span(x.sizes()).subspan(2);
  const std::size_t axes = spatial.size();
  spend_steps(y.count(), std::uint64_t{1} << (style.sampling == Sampling::kCubic ? 2 * axes : axes));
  std::int64_t plane = 1, points = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    plane *= spatial[i];
    points *= sizes[i + 2];
  }
  const std::int64_t channels = x.size(1);
  constexpr std::int64_t kBlock = 1024;  // points per piece of work
  const std::int64_t blocks = (points + kBlock - 1) / kBlock;
  const auto block = [&](std::size_t piece) {
    const std::int64_t n = static_cast<std::int64_t>(piece) / blocks,
                       from = static_cast<std::int64_t>(piece) % blocks * kBlock;
    PointSamples<T> samples;
    for (std::int64_t p = from; p < std::min(from + kBlock, points); ++p) {
      samples.set(style, grid.data<T>().data() + (n * points + p) * static_cast<std::int64_t>(axes), spatial);
      for (std::int64_t c = 0; c < channels; ++c) {
        const T* image = x.data<T>().data() + (n * channels + c) * plane;
        T sum = 0;
        for (std::size_t k = 0; k < samples.offset.size(); ++k) sum += samples.weight[k] * image[samples.offset[k]];
        y.mutable_data<T>()[static_cast<std::size_t>((n * channels + c) * points + p)] = sum;
      }
    }
  };
  const auto pieces = static_cast<std::size_t>(x.size(0) * blocks);
  if (y.count() < std::size_t{1} << 15) {
    for (std::size_t i = 0; i < pieces; ++i) block(i);
  } else {
    parallel_for(pieces, block);
  }
  return y;
}

}  // namespace

bool evaluate_grid_sample(Call& call) {
  const Array &x = call.array(0), &grid = call.array(1);
  const auto style = GridStyle::from(call.params);
  if (!style) return call.fail("mode or padding_mode is not known");
  if (x.rank() < 3 || x.rank() > 8 || grid.rank() != x.rank() || grid.size(0) != x.size(0) ||
      grid.sizes().back() != static_cast<std::int64_t>(x.rank() - 2))
    return call.fail("the shapes of the input and the grid do not match");
  Sizes sizes = x.sizes();
  std::copy(grid.sizes().begin() + 1, grid.sizes().end() - 1, sizes.begin() + 2);
  const auto count = count_of(sizes);
  if (!count) return call.fail("the result has too many elements");
  if (*count == 0) return call.done(Array::make(x.type(), sizes));
  if (x.count() == 0) return call.fail("the input has no elements");
  return dispatch_wide(x,
                       [&]<typename T>(const Array& wide) {
                         const Array places = converted<T>(grid);
                         if (places.type() != kTypeOf<T>) return call.fail_type();
                         return call.done(narrowed(sampled<T>(*style, wide, places, sizes), x.type()));
                       }) ||
         (call.why().empty() && call.fail_type());
}

void infer_affine_grid(Inference& in) {
  const auto size = in.symbolic("size");
  if (!size) return;
  if (size->size() != 4 && size->size() != 5)
    return in.contradict(fmt::format("size has {} entries, but needs 4 or 5", size->size()));
  Shape grid{(*size)[0]};
  grid.insert(grid.end(), size->begin() + 2, size->end());
  grid.push_back(Dim::size(static_cast<std::int64_t>(size->size() - 2)));
  in.set_shape(grid);
}

namespace {

// Element i of `size` places spread over [-1, 1]: from corner to corner, or from the middle of the first cell to the
// middle of the last one.
template <typename T>
T spread(std::int64_t i, std::int64_t size, bool corners) {
  const auto at = static_cast<T>(i), length = static_cast<T>(size);
  if (corners) return size > 1 ? at * 2 / (length - 1) - 1 : T{0};
  return (at * 2 + 1) / length - 1;
}

template <typename T>
Array affine_grid(const Array& theta, const Sizes& sizes, bool corners) {
  Array grid = Array::make<T>(sizes);
  T* to = grid.mutable_data<T>().data();
  const std::size_t axes = sizes.size() - 2;
  const auto points = static_cast<std::int64_t>(grid.count() / axes) / std::max<std::int64_t>(sizes[0], 1);
  for (std::int64_t n = 0; n < sizes[0]; ++n) {
    const T* matrix = theta.data<T>().data() + static_cast<std::size_t>(n) * axes * (axes + 1);
    for (std::int64_t p = 0; p < points; ++p) {
      T place[3];  // x, y, z
      std::int64_t rest = p;
      for (std::size_t axis = axes; axis-- > 0; rest /= sizes[axis + 1])
        place[axes - 1 - axis] = spread<T>(rest % sizes[axis + 1], sizes[axis + 1], corners);
      for (std::size_t row = 0; row < axes; ++row) {
        T sum = matrix[row * (axes + 1) + axes];
        for (std::size_t k = 0; k < axes; ++k) sum += matrix[row * (axes + 1) + k] * place[k];
        *to++ = sum;
      }
    }
  }
  return grid;
}

}  // namespace

bool evaluate_affine_grid(Call& call) {
  const Array& theta = call.array(0);
  const auto size = call.params.integers("size");
  if (!size || (size->size() != 4 && size->size() != 5)) return call.fail("size is not a list of 4 or 5 sizes");
  const auto axes = static_cast<std::int64_t>(size->size() - 2);
  if (theta.sizes() != Sizes{(*size)[0], axes, axes + 1}) return call.fail("the shape of theta does not match size");
  Sizes sizes{(*size)[0]};
  sizes.insert(sizes.end(), size->begin() + 2, size->end());
  sizes.push_back(axes);
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  return dispatch_wide(theta,
                       [&]<typename T>(const Array& wide) {
                         const Array grid = affine_grid<T>(wide, sizes, call.params.flag("align_corners"));
                         return call.done(narrowed(grid, theta.type()));
                       }) ||
         call.fail_type();
}

}  // namespace onnxpress::ops
