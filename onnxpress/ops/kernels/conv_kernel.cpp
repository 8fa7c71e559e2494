// The loops of convolutions.
#include "onnxpress/ops/kernels/conv_kernel.h"

#include <fmt/format.h>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/kernels/conv_runs.h"
#include "onnxpress/ops/kernels/gemm_kernel.h"
#include "onnxpress/ops/kernels/im2col.h"
#include "onnxpress/ops/kernels/integer_math.h"

namespace onnxpress::ops {

namespace {

// True if the window reads each pixel once and in order, so that the operand itself is the matrix.
bool is_pointwise(const ConvWindow& window) {
  for (std::size_t axis = 0; axis < window.axes(); ++axis) {
    if (window.kernel[axis] != 1 || window.strides[axis] != 1 || window.pads_before[axis] != 0 ||
        window.pads_after[axis] != 0)
      return false;
  }
  return true;
}

// y += the convolution of one channel, tap by tap and row by row.
template <typename T>
void convolve_channel(const ConvWindow& w, const T* x, const T* taps, T* y) {
  const std::int64_t stride = w.strides.back();
  for_each_run(w, [&](const ConvRun& run) {
    const T* from = x + run.in;
    T* to = y + run.out;
    if (stride == 1) return add_scaled(unsigned_of(run.count), taps[run.tap], from, to);
    for (std::int64_t i = 0; i < run.count; ++i) to[i] += taps[run.tap] * from[i * stride];
  });
}

// The matrix sizes of one group of one image, and where its data is.
struct GroupWork {
  const ConvPlan& plan;
  GemmSizes sizes;
  std::size_t count;

  explicit GroupWork(const ConvPlan& of)
      : plan(of),
        sizes{unsigned_of(of.group_out), unsigned_of(of.window.positions()),
              unsigned_of(of.group_in * of.window.taps())},
        count(unsigned_of(of.batch * of.groups)) {}
  std::size_t group(std::size_t i) const { return i % unsigned_of(plan.groups); }
  std::size_t x_at(std::size_t i) const { return i * unsigned_of(plan.group_in * plan.window.pixels()); }
  std::size_t w_at(std::size_t i) const { return group(i) * sizes.rows * sizes.depth; }
  std::size_t y_at(std::size_t i) const { return i * sizes.rows * sizes.columns; }
};

template <typename T>
void convolve(const ConvPlan& plan, const T* x, const T* w, T* y) {
  const GroupWork work(plan);
  const auto depth = static_cast<std::ptrdiff_t>(work.sizes.depth);
  // With one input channel, a matrix product would pack as many numbers as it multiplies.
  if (plan.group_in == 1 && plan.group_out <= 2) {
    const std::size_t channels = work.count * work.sizes.rows;
    const auto one = [&](std::size_t i) {
      const std::size_t task = i / work.sizes.rows, channel = i % work.sizes.rows;
      convolve_channel(plan.window, x + work.x_at(task), w + work.w_at(task) + channel * work.sizes.depth,
                       y + i * work.sizes.columns);
    };
    const std::size_t each = work.sizes.columns * work.sizes.depth;
    spend_steps(channels, work.sizes.columns, work.sizes.depth);
    if (channels * each >= kParallelWork) return parallel_for(channels, one);
    for (std::size_t i = 0; i < channels; ++i) one(i);
    return;
  }
  const bool pointwise = is_pointwise(plan.window);
  for_each_product(
      work.count, work.sizes.rows * work.sizes.columns * work.sizes.depth, [&](std::size_t i, bool parallel) {
        const Matrix<T> left{w + work.w_at(i), depth, 1};
        const GemmOptions options{.accumulate = true, .parallel = parallel};
        T* to = y + work.y_at(i);
        if (pointwise) {
          const auto columns = static_cast<std::ptrdiff_t>(work.sizes.columns);
          gemm(work.sizes, left, Matrix<T>{x + work.x_at(i), columns, 1}, to, work.sizes.columns, options);
        } else {
          gemm(work.sizes, left, Im2Col<T, T>(plan.window, x + work.x_at(i)), to, work.sizes.columns, options);
        }
      });
}

}  // namespace

Sizes ConvPlan::result_sizes() const { return image_sizes(batch, groups * group_out, window.out); }

std::optional<ConvPlan> plan_conv(Call& call, const Array& x, const Array& w, const Array* bias) {
  const auto refuse = [&](std::string why) {
    call.fail(std::move(why));
    return std::nullopt;
  };
  if (x.rank() < 3 || w.rank() != x.rank()) return refuse("X and W must have the same rank, of at least 3");
  ConvPlan plan{.batch = x.size(0), .groups = call.params.integer_or("group", 1), .group_in = w.size(1)};
  if (plan.groups < 1 || plan.group_in < 1 || x.size(1) % plan.groups != 0 ||
      x.size(1) / plan.groups != plan.group_in || w.size(0) % plan.groups != 0)
    return refuse(
        fmt::format("X has {} channels, but W is for {} channels in {} groups", x.size(1), plan.group_in, plan.groups));
  plan.group_out = w.size(0) / plan.groups;
  if (bias && (bias->rank() != 1 || bias->size(0) != w.size(0)))
    return refuse("B must have one element per output channel");
  std::string why;
  auto window = conv_window(call.params, Sizes(x.sizes().begin() + 2, x.sizes().end()),
                            Sizes(w.sizes().begin() + 2, w.sizes().end()), why);
  if (!window) return refuse(why);
  plan.window = std::move(*window);
  if (!count_of(plan.result_sizes())) return refuse("the result is too large");
  return plan;
}

Array convolved(const ConvPlan& plan, const Array& x, const Array& w, const Array* bias) {
  Array y = Array::make(x.type(), plan.result_sizes());
  if (y.count() == 0) return y;
  const auto run = [&]<typename T>() {
    const auto to = y.mutable_data<T>();
    const std::size_t positions = unsigned_of(plan.window.positions());
    const auto channels = unsigned_of(plan.groups * plan.group_out);
    for (std::size_t i = 0; i < to.size() / positions; ++i)
      std::fill_n(to.data() + i * positions, positions, bias ? bias->data<T>()[i % channels] : T(0));
    convolve(plan, x.data<T>().data(), w.data<T>().data(), to.data());
  };
  x.type() == ElementType::kDouble ? run.operator()<double>() : run.operator()<float>();
  return y;
}

Array convolved_integers(const ConvPlan& plan, const Array& x, const Array& w, std::int32_t x_zero,
                         std::span<const std::int32_t> w_zeros) {
  Array y = Array::make(ElementType::kInt32, plan.result_sizes());
  if (y.count() == 0) return y;
  const GroupWork work(plan);
  std::int32_t* to = y.mutable_data<std::int32_t>().data();
  for_each_product(
      work.count, work.sizes.rows * work.sizes.columns * work.sizes.depth, [&](std::size_t i, bool parallel) {
        IntegerMatrix left{.data = w.bytes() + work.w_at(i),
                           .is_signed = w.type() == ElementType::kInt8,
                           .row_stride = static_cast<std::ptrdiff_t>(work.sizes.depth)};
        if (w_zeros.size() == 1) left.zero = w_zeros[0];
        if (w_zeros.size() > 1) left.zeros = w_zeros.data() + work.group(i) * work.sizes.rows;
        const auto multiply = [&]<typename Source>() {
          const auto* from = reinterpret_cast<const Source*>(x.bytes()) + work.x_at(i);
          gemm(work.sizes, left, Im2Col<float, Source>(plan.window, from, x_zero), to + work.y_at(i),
               work.sizes.columns, {.parallel = parallel});
        };
        x.type() == ElementType::kInt8 ? multiply.operator()<std::int8_t>() : multiply.operator()<std::uint8_t>();
      });
  return y;
}

}  // namespace onnxpress::ops
