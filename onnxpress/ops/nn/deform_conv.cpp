// DeformConv in two dimensions: samples the image between pixels, then multiplies as Conv does.
#include "onnxpress/ops/nn/deform_conv.h"

#include <cmath>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/kernels/conv_kernel.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

// The value of the image at a place between pixels; 0 outside.
template <typename T>
T sampled(const T* image, std::int64_t height, std::int64_t width, T y, T x) {
  if (!(y > -1 && x > -1 && y < static_cast<T>(height) && x < static_cast<T>(width))) return 0;
  const auto top = static_cast<std::int64_t>(std::floor(y)), left = static_cast<std::int64_t>(std::floor(x));
  const T down = y - static_cast<T>(top), right = x - static_cast<T>(left);
  const auto pixel = [&](std::int64_t row, std::int64_t column) {
    return row < 0 || column < 0 || row >= height || column >= width ? T(0) : image[row * width + column];
  };
  return (1 - down) * ((1 - right) * pixel(top, left) + right * pixel(top, left + 1)) +
         down * ((1 - right) * pixel(top + 1, left) + right * pixel(top + 1, left + 1));
}

// Fills the matrix of one image, with rows (channel, tap) and columns (output position).
template <typename T>
void sample_columns(const ConvWindow& w, std::int64_t channels, std::int64_t offset_groups, const T* image,
                    const T* offsets, const T* mask, T* columns) {
  const std::int64_t taps = w.taps(), positions = w.positions(), per_group = channels / offset_groups;
  for (std::int64_t channel = 0; channel < channels; ++channel, image += w.pixels()) {
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t at = channel / per_group * taps + tap;
      const T *down = offsets + 2 * at * positions, *right = down + positions;
      const std::int64_t tap_y = tap / w.kernel[1] * w.dilations[0] - w.pads_before[0];
      const std::int64_t tap_x = tap % w.kernel[1] * w.dilations[1] - w.pads_before[1];
      for (std::int64_t p = 0; p < positions; ++p) {
        const std::int64_t row = p / w.out[1] * w.strides[0] + tap_y, column = p % w.out[1] * w.strides[1] + tap_x;
        const T y = static_cast<T>(row) + down[p], x = static_cast<T>(column) + right[p];
        const T scale = mask ? mask[at * positions + p] : T(1);
        *columns++ = scale * sampled(image, w.in[0], w.in[1], y, x);
      }
    }
  }
}

template <typename T>
bool deform(Call& call, const ConvPlan& plan, const Array& x, const Array& w, const Array& offset, const Array& mask) {
  const Array bias = widened(call.array(3));
  const std::int64_t groups = call.params.integer_or("offset_group", 1), channels = x.size(1);
  const std::int64_t taps = plan.window.taps(), positions = plan.window.positions();
  const Sizes column_sizes = {channels, taps, positions};
  if (!count_of(column_sizes)) return call.fail("an intermediate result is too large");
  Array columns = Array::make<T>(column_sizes), y = Array::make<T>(plan.result_sizes());
  if (y.count() == 0) return call.done(narrowed(std::move(y), call.array(0).type()));
  spend_steps(static_cast<std::uint64_t>(plan.batch), columns.count(), 8);
  T* to = y.template mutable_data<T>().data();
  const auto rows = static_cast<std::size_t>(plan.group_out), depth = static_cast<std::size_t>(plan.group_in * taps);
  const auto width = static_cast<std::size_t>(positions);
  for (std::int64_t n = 0; n < plan.batch; ++n) {
    sample_columns(plan.window, channels, groups, x.data<T>().data() + n * channels * plan.window.pixels(),
                   offset.data<T>().data() + n * groups * 2 * taps * positions,
                   call.has(4) ? mask.data<T>().data() + n * groups * taps * positions : nullptr,
                   columns.template mutable_data<T>().data());
    for (std::int64_t g = 0; g < plan.groups; ++g, to += rows * width) {
      for (std::size_t i = 0; i < rows; ++i)
        std::fill_n(to + i * width, width, call.has(3) ? bias.data<T>()[static_cast<std::size_t>(g) * rows + i] : T(0));
      gemm({rows, width, depth},
           Matrix<T>{w.data<T>().data() + static_cast<std::size_t>(g) * rows * depth,
                     static_cast<std::ptrdiff_t>(depth), 1},
           Matrix<T>{columns.data<T>().data() + static_cast<std::size_t>(g) * depth * width,
                     static_cast<std::ptrdiff_t>(width), 1},
           to, width, {.accumulate = true});
    }
  }
  return call.done(narrowed(std::move(y), call.array(0).type()));
}

}  // namespace

bool evaluate_deform_conv(Call& call) {
  const ElementType type = call.array(0).type();
  if (!is_float_like(type)) return call.fail_type();
  for (std::size_t i = 1; i < call.operand_count(); ++i) {
    if (call.has(i) && call.array(i).type() != type) return call.fail_type();
  }
  const Array x = widened(call.array(0)), w = widened(call.array(1)), offset = widened(call.array(2));
  const Array bias = widened(call.array(3)), mask = widened(call.array(4));
  if (x.rank() != 4) return call.fail("only images of two dimensions are supported");
  const auto plan = plan_conv(call, x, w, call.has(3) ? &bias : nullptr);
  if (!plan) return false;
  const std::int64_t groups = call.params.integer_or("offset_group", 1), taps = plan->window.taps();
  if (groups < 1 || groups > x.size(1) || x.size(1) % groups != 0)
    return call.fail("offset_group does not divide the channels");
  const Sizes& out = plan->window.out;
  if (offset.sizes() != Sizes{x.size(0), groups * taps * 2, out[0], out[1]})
    return call.fail("offset must have two elements per group, tap and position");
  if (call.has(4) && mask.sizes() != Sizes{x.size(0), groups * taps, out[0], out[1]})
    return call.fail("mask must have one element per group, tap and position");
  return x.type() == ElementType::kDouble ? deform<double>(call, *plan, x, w, offset, mask)
                                          : deform<float>(call, *plan, x, w, offset, mask);
}

}  // namespace onnxpress::ops
