// ConvTranspose: a matrix product gives a window per position and output channel; overlapping windows are then added
// into the result.
#include "onnxpress/ops/nn/conv_transpose.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/conv_runs.h"
#include "onnxpress/ops/kernels/conv_window.h"
#include "onnxpress/ops/kernels/gemm.h"
#include "onnxpress/ops/kernels/gemm_kernel.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

std::size_t unsigned_of(std::int64_t size) { return static_cast<std::size_t>(size); }

template <typename T>
void add_run(const T* from, std::int64_t count, std::int64_t stride, T* to) {
  if (stride == 1) return add_scaled(unsigned_of(count), T(1), from, to);
  for (std::int64_t i = 0; i < count; ++i) to[i * stride] += from[i];
}

// Adds the windows of one channel: columns[tap][position] is added to the pixel that the tap covers at that position.
template <typename T>
void add_windows(const ConvWindow& w, const T* columns, T* image) {
  if (w.axes() == 0) return;
  const std::int64_t positions = w.positions(), stride = w.strides.back();
  for_each_run(w, [&](const ConvRun& run) {
    add_run(columns + run.tap * positions + run.out, run.count, stride, image + run.in);
  });
}

template <typename T>
bool transpose_conv(Call& call, const ConvWindow& window, const Array& x, const Array& w, const Array& bias,
                    Sizes sizes) {
  const std::int64_t groups = call.params.integer_or("group", 1), group_in = x.size(1) / groups, group_out = w.size(1);
  Array y = Array::make<T>(std::move(sizes));
  if (y.count() == 0) return call.done(narrowed(std::move(y), call.array(0).type()));
  const std::size_t positions = unsigned_of(window.positions()), pixels = unsigned_of(window.pixels());
  const std::size_t taps = unsigned_of(window.taps()), rows = unsigned_of(group_out) * taps;
  const Sizes column_sizes = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(positions)};
  if (!count_of(column_sizes)) return call.fail("an intermediate result is too large");
  Array columns = Array::make<T>(column_sizes);
  spend_steps(static_cast<std::uint64_t>(x.size(0) * groups), columns.count());
  T* to = y.template mutable_data<T>().data();
  for (std::size_t i = 0; pixels > 0 && i < y.count() / pixels; ++i)
    std::fill_n(to + i * pixels, pixels, bias.count() > 0 ? bias.data<T>()[i % bias.count()] : T(0));
  for (std::int64_t task = 0; task < x.size(0) * groups; ++task) {
    const T* from = x.data<T>().data() + unsigned_of(task * group_in) * positions;
    const T* weights = w.data<T>().data() + unsigned_of(task % groups * group_in) * rows;
    gemm({rows, positions, unsigned_of(group_in)}, Matrix<T>{weights, 1, static_cast<std::ptrdiff_t>(rows)},
         Matrix<T>{from, static_cast<std::ptrdiff_t>(positions), 1}, columns.template mutable_data<T>().data(),
         positions);
    T* image = to + unsigned_of(task * group_out) * pixels;
    const auto add = [&](std::size_t channel) {
      add_windows(window, columns.data<T>().data() + channel * taps * positions, image + channel * pixels);
    };
    if (columns.count() >= kParallelWork) {
      parallel_for(unsigned_of(group_out), add);
    } else {
      for (std::size_t channel = 0; channel < unsigned_of(group_out); ++channel) add(channel);
    }
  }
  return call.done(narrowed(std::move(y), call.array(0).type()));
}

}  // namespace

namespace {

// The rules of ConvTranspose that Conv does not have. ONNX checks them if it knows both shapes.
bool require_transposed(Inference& in, std::size_t axes) {
  if (!require_one_padding(in)) return false;
  const Shape *x = in.shape(0), *w = in.shape(1);
  if (!x || !w) return true;
  const std::int64_t groups = in.params.integer_or("group", 1);
  const auto channels = in.dims.resolve((*x)[1]).size();
  if (!require_positive(in, "group")) return false;
  if (channels && groups > 0 && *channels % groups != 0) {
    in.contradict(fmt::format("{} channels cannot be divided into {} groups", *channels, groups));
    return false;
  }
  return require_list(in, "output_shape", axes, 0, false) && require_list(in, "output_padding", axes, 0, false);
}

}  // namespace

void infer_conv_transpose(Inference& in) {
  const Shape *x = in.shape(0), *w = in.shape(1);
  const std::size_t rank = x ? x->size() : w ? w->size() : 0;
  if (!require_rank_at_least(in, 0, 3) || !require_rank_at_least(in, 1, 3)) return;
  if (rank == 0 || (x && !require_rank(in, 1, x->size())) || !require_windows(in, rank - 2, x && w)) return;
  if (!require_transposed(in, rank - 2)) return;
  Shape shape(rank);
  if (w) shape[1] = in.dims.mul((*w)[1], Dim::size(in.params.integer_or("group", 1)));
  if (x) {
    shape[0] = (*x)[0];
    const std::span<const Dim> kernel = w ? std::span<const Dim>(*w).subspan(2) : std::span<const Dim>();
    const Shape spatial = transposed_dims(in, std::span<const Dim>(*x).subspan(2), kernel);
    std::copy(spatial.begin(), spatial.end(), shape.begin() + 2);
  }
  if (x && w) in.unify((*x)[1], (*w)[0]);
  in.set_shape(std::move(shape));
}

bool evaluate_conv_transpose(Call& call) {
  const ElementType type = call.array(0).type();
  if (!is_float_like(type) || call.array(1).type() != type || (call.has(2) && call.array(2).type() != type))
    return call.fail_type();
  const Array x = widened(call.array(0)), w = widened(call.array(1)), bias = widened(call.array(2));
  const std::int64_t groups = call.params.integer_or("group", 1);
  if (x.rank() < 3 || w.rank() != x.rank() || w.size(0) != x.size(1) || x.size(1) == 0)
    return call.fail("X and W must have the same rank, of at least 3, and the same channels");
  if (groups < 1 || x.size(1) % groups != 0) return call.fail("the channels cannot be divided into the groups");
  std::string why;
  const auto window = transposed_window(call.params, Sizes(x.sizes().begin() + 2, x.sizes().end()),
                                        Sizes(w.sizes().begin() + 2, w.sizes().end()), why);
  if (!window) return call.fail(why);
  if (groups > static_cast<std::int64_t>(kMostElements)) return call.fail("too many groups");
  const std::int64_t channels = w.size(1) * groups;
  if (call.has(2) && (bias.rank() != 1 || bias.size(0) != channels || channels == 0))
    return call.fail("B must have one element per output channel");
  const Sizes sizes = image_sizes(x.size(0), channels, window->in);
  if (!count_of(sizes)) return call.fail("the result is too large");
  return x.type() == ElementType::kDouble ? transpose_conv<double>(call, *window, x, w, bias, sizes)
                                          : transpose_conv<float>(call, *window, x, w, bias, sizes);
}

// --- Col2Im

void infer_col2im(Inference& in) {
  const Shape* x = in.shape(0);
  if (!require_rank(in, 0, 3)) return;
  const auto pads = in.params.attribute("pads") ? in.params.integers("pads") : std::nullopt;
  if (pads && pads->size() % 2 != 0)
    return in.contradict(fmt::format("pads has {} entries, which is not an even number", pads->size()));
  const auto image = in.symbolic("image_shape"), block = in.symbolic("block_shape");
  if (block && std::ranges::any_of(*block, [](Dim size) { return size.size().value_or(1) < 1; }))
    return in.contradict("block_shape has an entry below 1");
  if (!image) return;
  Shape shape = {x && x->size() == 3 ? (*x)[0] : Dim(), Dim()};
  if (x && x->size() == 3 && block) shape[1] = in.dims.exact_div((*x)[1], in.dims.product(*block));
  shape.insert(shape.end(), image->begin(), image->end());
  in.set_shape(std::move(shape));
}

bool evaluate_col2im(Call& call) {
  const Array x = widened(call.array(0));
  const auto image = call.array(1).integers(), block = call.array(2).integers();
  if (!image || !block || image->size() != block->size() || image->empty() || x.rank() != 3)
    return call.fail("input, image_shape and block_shape do not match");
  for (const std::int64_t size : *image) {
    if (size < 0 || size > (std::int64_t{1} << 40)) return call.fail("image_shape is out of range");
  }
  std::string why;
  const auto window = conv_window(call.params, *image, *block, why);
  if (!window) return call.fail(why);
  const auto taps = count_of(*block), positions = count_of(window->out);
  if (!taps || !positions || x.size(1) % static_cast<std::int64_t>(*taps) != 0 ||
      x.size(2) != static_cast<std::int64_t>(*positions))
    return call.fail("the columns do not match image_shape and block_shape");
  const Sizes sizes = image_sizes(x.size(0), x.size(1) / static_cast<std::int64_t>(*taps), *image);
  if (!count_of(sizes)) return call.fail("the result is too large");
  return dispatch(WideFloats(), x.type(),
                  [&]<typename T>() {
                    Array y = Array::make<T>(sizes);
                    const auto to = y.template mutable_data<T>();
                    std::fill(to.begin(), to.end(), T(0));
                    const std::size_t pixels = to.empty() ? 0 : unsigned_of(window->pixels());
                    for (std::size_t i = 0; pixels > 0 && i < to.size() / pixels; ++i)
                      add_windows(*window, x.data<T>().data() + i * *taps * *positions, to.data() + i * pixels);
                    call.set(0, narrowed(std::move(y), call.array(0).type()));
                  }) ||
         call.fail_type();
}

}  // namespace onnxpress::ops
