// RoiAlign and MaxRoiPool.
#include "onnxpress/ops/image/roi.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/float_arrays.h"

namespace onnxpress::ops {

namespace {

// The limit of sampling points per bin and axis; larger regions are refused instead of running for hours.
constexpr double kMostSamples = 512;

// The first operand holds images, and the second one regions.
bool require_regions(Inference& in) { return require_rank(in, 0, 4) && require_rank(in, 1, 2); }

// A region has this many numbers. Only the last versions of the ops check it.
void require_numbers(Inference& in, std::int64_t numbers) {
  const Shape* rois = in.shape(1);
  if (rois && rois->size() == 2) in.unify((*rois)[1], Dim::size(numbers));
}

void infer_rois(Inference& in, Dim height, Dim width) {
  const Shape *x = in.shape(0), *rois = in.shape(1);
  const Dim channels = x && x->size() == 4 ? (*x)[1] : Dim();
  in.set_shape({rois && rois->size() == 2 ? (*rois)[0] : Dim(), channels, height, width});
}

Dim size_of(std::optional<std::int64_t> size) {
  return size && *size > 0 && Dim::fits(*size) ? Dim::size(*size) : Dim();
}

// One sampling point: four neighbours and their weights, which are all 0 outside the image.
template <typename T>
struct Sample {
  std::int64_t at[4] = {0, 0, 0, 0};
  T weight[4] = {0, 0, 0, 0};
};

template <typename T>
Sample<T> sample_at(T y, T x, std::int64_t height, std::int64_t width) {
  Sample<T> sample;
  if (!(y >= T{-1} && y <= static_cast<T>(height) && x >= T{-1} && x <= static_cast<T>(width))) return sample;
  y = std::max(y, T{0});
  x = std::max(x, T{0});
  std::int64_t top = static_cast<std::int64_t>(y), left = static_cast<std::int64_t>(x);
  std::int64_t bottom = top + 1, right = left + 1;
  if (top >= height - 1) {
    top = bottom = height - 1;
    y = static_cast<T>(top);
  }
  if (left >= width - 1) {
    left = right = width - 1;
    x = static_cast<T>(left);
  }
  const T down = y - static_cast<T>(top), across = x - static_cast<T>(left);
  const std::int64_t at[4] = {top * width + left, top * width + right, bottom * width + left, bottom * width + right};
  const T weight[4] = {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across};
  std::copy(at, at + 4, sample.at);
  std::copy(weight, weight + 4, sample.weight);
  return sample;
}

// A region in the coordinates of the feature map, divided into bins with a grid of sampling points each.
template <typename T>
struct Bins {
  T top = 0, left = 0, bin_height = 0, bin_width = 0;
  std::int64_t grid_height = 0, grid_width = 0;
};

struct RoiAlignment {
  std::int64_t height = 1, width = 1, sampling = 0;
  double scale = 1;
  bool half_pixel = false, takes_maximum = false;
};

template <typename T>
std::optional<Bins<T>> bins_of(const RoiAlignment& how, const T* roi) {
  const auto scale = static_cast<T>(how.scale), offset = how.half_pixel ? T(0.5) : T(0);
  T extent[2], start[2];
  for (int axis = 0; axis < 2; ++axis) {
    start[axis] = roi[axis] * scale - offset;
    extent[axis] = roi[axis + 2] * scale - offset - start[axis];
    if (!how.half_pixel) extent[axis] = std::max(extent[axis], T{1});
    if (!std::isfinite(start[axis]) || !std::isfinite(extent[axis])) return std::nullopt;
  }
  Bins<T> bins{start[1], start[0], extent[1] / static_cast<T>(how.height), extent[0] / static_cast<T>(how.width)};
  const auto grid = [&](T bin) {
    return how.sampling > 0 ? static_cast<double>(how.sampling) : std::ceil(double(bin));
  };
  if (grid(bins.bin_height) > kMostSamples || grid(bins.bin_width) > kMostSamples) return std::nullopt;
  bins.grid_height = static_cast<std::int64_t>(std::max(grid(bins.bin_height), 0.0));
  bins.grid_width = static_cast<std::int64_t>(std::max(grid(bins.bin_width), 0.0));
  return bins;
}

template <typename T>
std::vector<Sample<T>> samples_of(const Bins<T>& bins, std::int64_t row, std::int64_t column, std::int64_t height,
                                  std::int64_t width) {
  std::vector<Sample<T>> samples;
  for (std::int64_t i = 0; i < bins.grid_height; ++i) {
    const T y = bins.top + static_cast<T>(row) * bins.bin_height +
                (static_cast<T>(i) + T(0.5)) * bins.bin_height / static_cast<T>(bins.grid_height);
    for (std::int64_t j = 0; j < bins.grid_width; ++j) {
      const T x = bins.left + static_cast<T>(column) * bins.bin_width +
                  (static_cast<T>(j) + T(0.5)) * bins.bin_width / static_cast<T>(bins.grid_width);
      samples.push_back(sample_at(y, x, height, width));
    }
  }
  return samples;
}

// The maximum is taken over the weighted neighbours of all points, not over interpolated values, like the reference
// implementation and ONNX Runtime do.
template <typename T>
T pooled(std::span<const Sample<T>> samples, const T* plane, bool takes_maximum) {
  if (samples.empty()) return T{0};
  T sum = 0, best = -std::numeric_limits<T>::infinity();
  for (const Sample<T>& sample : samples) {
    for (int k = 0; k < 4; ++k) {
      const T term = sample.weight[k] * plane[sample.at[k]];
      sum += term;
      best = std::max(best, term);
    }
  }
  return takes_maximum ? best : sum / static_cast<T>(samples.size());
}

template <typename T>
bool align(Call& call, const Array& x, const Array& rois, std::span<const std::int64_t> batches,
           const RoiAlignment& how) {
  const std::int64_t channels = x.size(1), height = x.size(2), width = x.size(3);
  const Sizes sizes{rois.size(0), channels, how.height, how.width};
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  Array y = Array::make<T>(sizes);
  const std::int64_t plane = height * width, bins_per_plane = how.height * how.width;
  for (std::int64_t r = 0; r < rois.size(0); ++r) {
    const auto bins = bins_of<T>(how, rois.data<T>().data() + r * 4);
    if (!bins) return call.fail("a region is not finite or too large");
    spend_steps(static_cast<std::uint64_t>(bins_per_plane),
                static_cast<std::uint64_t>(bins->grid_height * bins->grid_width),
                static_cast<std::uint64_t>(4 * (channels + 1)));
    const T* image = x.data<T>().data() + batches[static_cast<std::size_t>(r)] * channels * plane;
    T* to = y.mutable_data<T>().data() + r * channels * bins_per_plane;
    for (std::int64_t bin = 0; bin < bins_per_plane; ++bin) {
      const auto samples = samples_of(*bins, bin / how.width, bin % how.width, height, width);
      for (std::int64_t c = 0; c < channels; ++c)
        to[c * bins_per_plane + bin] = pooled<T>(samples, image + c * plane, how.takes_maximum);
    }
  }
  return call.done(narrowed(y, call.array(0).type()));
}

// Checks batch indices against the number of images.
bool are_images(std::span<const std::int64_t> batches, std::int64_t images) {
  return std::all_of(batches.begin(), batches.end(), [&](std::int64_t each) { return each >= 0 && each < images; });
}

}  // namespace

void infer_roi_align(Inference& in) {
  if (!require_positive(in, "output_height") || !require_positive(in, "output_width")) return;
  if (!require_regions(in) || !require_rank(in, 2, 1)) return;
  infer_rois(in, size_of(in.params.integer("output_height")), size_of(in.params.integer("output_width")));
  const Shape *rois = in.shape(1), *batches = in.shape(2);
  if (in.result_count() == 0 || !batches) return;
  // Each region has an image. Of the two counts, the one that is a size says more about the result.
  if (rois) in.unify((*rois)[0], (*batches)[0]);
  Dim& count = in.result().shape->front();
  if (!in.dims.resolve(count).is_size()) count = (*batches)[0];
}

void infer_roi_align_22(Inference& in) {
  require_numbers(in, 4);
  infer_roi_align(in);
}

void infer_max_roi_pool_22(Inference& in) {
  require_numbers(in, 5);
  infer_max_roi_pool(in);
}

bool evaluate_roi_align(Call& call) {
  const Array &x = call.array(0), &rois = call.array(1);
  const auto batches = call.array(2).integers();
  if (!batches || rois.type() != x.type()) return call.fail_type();
  if (x.rank() != 4 || rois.rank() != 2 || rois.size(1) != 4)
    return call.fail("the input or the regions have a wrong shape");
  if (static_cast<std::int64_t>(batches->size()) != rois.size(0) || !are_images(*batches, x.size(0)))
    return call.fail("the batch indices do not match the regions or the images");
  RoiAlignment how{call.params.integer_or("output_height", 1), call.params.integer_or("output_width", 1),
                   call.params.integer_or("sampling_ratio", 0), call.params.real_or("spatial_scale", 1)};
  // Before version 16 there was no such attribute, and no shift by half a pixel.
  how.half_pixel = call.params.text_or("coordinate_transformation_mode", "output_half_pixel") == "half_pixel";
  how.takes_maximum = call.params.text_or("mode", "avg") == "max";
  if (how.height < 1 || how.width < 1 || !count_of(Sizes{how.height, how.width}))
    return call.fail("output_height or output_width is not valid");
  if (x.count() == 0 && rois.size(0) > 0) return call.fail("the input has no elements");
  return dispatch_wide(
             x, [&]<typename T>(const Array& wide) { return align<T>(call, wide, widened(rois), *batches, how); }) ||
         (call.why().empty() && call.fail_type());
}

void infer_max_roi_pool(Inference& in) {
  if (!require_regions(in) || !require_list(in, "pooled_shape", 2, 1, false)) return;
  const auto pooled_shape = in.params.integers("pooled_shape");
  const bool known = pooled_shape && pooled_shape->size() == 2;
  infer_rois(in, known ? size_of((*pooled_shape)[0]) : Dim(), known ? size_of((*pooled_shape)[1]) : Dim());
}

namespace {

// Elements [begin, end) of an axis that bin `i` of `bins` covers, if the region is [first, last].
std::pair<std::int64_t, std::int64_t> bin_of(std::int64_t i, std::int64_t bins, double first, double last,
                                             std::int64_t size) {
  const double step = std::max(last - first + 1, 1.0) / static_cast<double>(bins);
  const auto clamp = [&](double at) {
    return static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(size)));
  };
  return {clamp(std::floor(static_cast<double>(i) * step) + first),
          clamp(std::ceil(static_cast<double>(i + 1) * step) + first)};
}

template <typename T>
bool pool_regions(Call& call, const Array& x, const Array& rois, std::int64_t rows, std::int64_t columns) {
  const auto scale = static_cast<T>(call.params.real_or("spatial_scale", 1));
  const std::int64_t channels = x.size(1), height = x.size(2), width = x.size(3);
  const Sizes sizes{rois.size(0), channels, rows, columns};
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  Array y = Array::make<T>(sizes);
  T* to = y.mutable_data<T>().data();
  for (std::int64_t r = 0; r < rois.size(0); ++r) {
    const T* roi = rois.data<T>().data() + r * 5;
    double edge[4];
    for (int k = 0; k < 4; ++k) edge[k] = std::round(static_cast<double>(roi[k + 1] * scale));
    if (!std::isfinite(edge[0] + edge[1] + edge[2] + edge[3]) || !(roi[0] >= T{0}) ||
        !(roi[0] < static_cast<T>(x.size(0))))
      return call.fail("a region is not finite or its image does not exist");
    const T* image = x.data<T>().data() + static_cast<std::int64_t>(roi[0]) * channels * height * width;
    spend_steps(static_cast<std::uint64_t>(channels), static_cast<std::uint64_t>(height + 2 * rows),
                static_cast<std::uint64_t>(width + 2 * columns));
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t bin = 0; bin < rows * columns; ++bin) {
        const auto [top, bottom] = bin_of(bin / columns, rows, edge[1], edge[3], height);
        const auto [left, right] = bin_of(bin % columns, columns, edge[0], edge[2], width);
        T best = -std::numeric_limits<T>::infinity();
        for (std::int64_t i = top; i < bottom; ++i) {
          for (std::int64_t j = left; j < right; ++j) best = std::max(best, image[(c * height + i) * width + j]);
        }
        *to++ = top < bottom && left < right ? best : T{0};
      }
    }
  }
  return call.done(narrowed(y, call.array(0).type()));
}

}  // namespace

bool evaluate_max_roi_pool(Call& call) {
  const Array &x = call.array(0), &rois = call.array(1);
  const auto pooled_shape = call.params.integers("pooled_shape");
  if (rois.type() != x.type()) return call.fail_type();
  if (!pooled_shape || pooled_shape->size() != 2 || (*pooled_shape)[0] < 1 || (*pooled_shape)[1] < 1)
    return call.fail("pooled_shape is not two positive sizes");
  if (x.rank() != 4 || rois.rank() != 2 || rois.size(1) != 5)
    return call.fail("the input or the regions have a wrong shape");
  return dispatch_wide(x,
                       [&]<typename T>(const Array& wide) {
                         return pool_regions<T>(call, wide, widened(rois), (*pooled_shape)[0], (*pooled_shape)[1]);
                       }) ||
         (call.why().empty() && call.fail_type());
}

}  // namespace onnxpress::ops
