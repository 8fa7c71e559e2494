// Pooling: the table, shapes of results, and MaxPool.
#include <limits>

#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/image/roi.h"
#include "onnxpress/ops/kernels/float_arrays.h"
#include "onnxpress/ops/kernels/pool_kernel.h"
#include "onnxpress/ops/nn/pool_average.h"
#include "onnxpress/ops/nn/unpool.h"

namespace onnxpress::ops {

namespace {

// --- Shapes

// Rounded up, the number of windows may include one that starts in the padding at the end. Runtimes leave it out; the
// standard did not say so before opset 22, and its own inference counts it. Where they disagree the size is unknown.
void infer_windows(Inference& in, bool standard_counts_all) {
  const Shape* x = in.shape(0);
  const auto window = PoolWindow::from(in.params);
  if (!require_rank_at_least(in, 0, 3) || (x && !require_windows(in, x->size() - 2, true))) return;
  if (!x || !window || x->size() != window->axes.size() + 2) return;
  const std::size_t first = channels_are_last(in.params) ? 1 : 2;
  Shape y = *x;
  for (std::size_t i = 0; i < window->axes.size(); ++i) {
    Dim& dim = y[first + i];
    const bool disputed = standard_counts_all && dim.is_size() && window->may_leave_out(i, dim);
    dim = disputed ? Dim() : window->windows_along(in.dims, i, dim);
    if (dim.is_size() && *dim.size() < 0) dim = Dim();
  }
  in.set_shape(0, y);
  in.set_shape(1, y);
}

void infer_pool(Inference& in) { infer_windows(in, false); }
void infer_pool_10(Inference& in) { infer_windows(in, true); }

void infer_max_pool(Inference& in) {
  infer_pool(in);
  if (in.result_count() > 1) in.set_element(1, ElementType::kInt64);
}

void infer_max_pool_10(Inference& in) {
  infer_pool_10(in);
  if (in.result_count() > 1) in.set_element(1, ElementType::kInt64);
}

void infer_global_pool(Inference& in) {
  const Shape* x = in.shape(0);
  if (!x || x->size() < 2) return;
  Shape y(x->size(), Dim::size(1));
  y[0] = (*x)[0];
  const std::size_t channel = channels_are_last(in.params) ? x->size() - 1 : 1;
  y[channel] = (*x)[channel];
  in.set_shape(y);
}

// --- Maxima

template <typename T>
constexpr T least() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

template <typename T>
Array max_of_windows(const PlacedPool& placed, const Array& x) {
  Array y = Array::make<T>(placed.sizes);
  const WindowWalk walk(placed.window);
  const std::int64_t length = placed.window.axes.back().out;
  for_each_plane(placed.planes, placed.work(), [&](std::size_t plane) {
    const T* from = x.data<T>().data() + plane * placed.in;
    T* to = y.mutable_data<T>().data() + plane * placed.out;
    walk.run(
        {}, [&](std::int64_t row) { std::fill_n(to + row, length, least<T>()); },
        [&](const TapRun& run) {
          const T* tap = from + run.in;
          T* best = to + run.out;
          if (run.stride == 1) {
            for (std::int64_t i = 0; i < run.count; ++i) best[i] = tap[i] > best[i] ? tap[i] : best[i];
          } else {
            for (std::int64_t i = 0; i < run.count; ++i)
              best[i] = tap[i * run.stride] > best[i] ? tap[i * run.stride] : best[i];
          }
        },
        [](std::int64_t, std::int64_t) {});
  });
  return y;
}

// The position within its plane of the first maximum of each window; -1 for windows without elements.
template <typename T>
std::vector<std::int64_t> places_of_maxima(const PlacedPool& placed, const T* from, const T* maxima) {
  std::vector<std::int64_t> places(placed.out, -1);
  WindowWalk(placed.window)
      .run(
          {}, [](std::int64_t) {},
          [&](const TapRun& run) {
            for (std::int64_t i = 0; i < run.count; ++i) {
              std::int64_t& place = places[static_cast<std::size_t>(run.out + i)];
              const std::int64_t at = run.in + i * run.stride;
              if (place < 0 && from[at] == maxima[run.out + i]) place = at;
            }
          },
          [](std::int64_t, std::int64_t) {});
  return places;
}

// The index of the same element in column-major order, where the first spatial axis is the fastest.
std::int64_t column_major(std::int64_t row_major, std::span<const PoolAxis> axes) {
  std::vector<std::int64_t> at(axes.size());
  for (std::size_t i = axes.size(); i-- > 0; row_major /= axes[i].in) at[i] = row_major % axes[i].in;
  std::int64_t place = 0;
  for (std::size_t i = axes.size(); i-- > 0;) place = place * axes[i].in + at[i];
  return place;
}

template <typename T>
Array indices_of_maxima(const PlacedPool& placed, const Array& x, const Array& y, bool by_columns) {
  Array indices = Array::make<std::int64_t>(placed.sizes);
  for_each_plane(placed.planes, placed.work(), [&](std::size_t plane) {
    auto places =
        places_of_maxima<T>(placed, x.data<T>().data() + plane * placed.in, y.data<T>().data() + plane * placed.out);
    for (std::int64_t& place : places) {
      if (place < 0) continue;
      if (by_columns) place = column_major(place, placed.window.axes);
      place += static_cast<std::int64_t>(plane * placed.in);
    }
    std::copy(places.begin(), places.end(), indices.mutable_data<std::int64_t>().begin() + plane * placed.out);
  });
  return indices;
}

bool evaluate_max_pool(Call& call) {
  const bool last = channels_are_last(call.params);
  const Array& given = call.array(0);
  if (given.rank() < 3) return call.fail("the input has no spatial axes");
  if (given.is_string()) return call.fail_type();
  const Array x = widened(last ? channels_first(given) : given);
  const auto placed = place_windows(call, x);
  if (!placed) return false;
  using Types = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kInt8, ElementType::kUint8>;
  return dispatch(Types(), x.type(),
                  [&]<typename T>() {
                    const Array y = max_of_windows<T>(*placed, x);
                    if (call.wants(1))
                      call.set(1, indices_of_maxima<T>(*placed, x, y, call.params.flag("storage_order")));
                    call.set(0, last ? channels_last(y) : narrowed(y, given.type()));
                  }) ||
         call.fail_type();
}

// Every element of a window is compared or added once.
void cost_window(CostQuery& query) {
  const auto window = PoolWindow::from(query.in.params);
  Dim area = window ? Dim::size(1) : Dim();
  if (window) {
    for (const PoolAxis& axis : window->axes) area = query.product(area, Dim::size(axis.kernel));
  }
  query.cost.flops = query.product(query.result_elements(), area);
}

constexpr OpDef kPoolRows[] = {
    {.name = "AveragePool", .infer = infer_pool_10, .evaluate = evaluate_average_pool, .cost = cost_window},
    {.name = "AveragePool", .since = 22, .infer = infer_pool, .evaluate = evaluate_average_pool, .cost = cost_window},
    {.name = "GlobalAveragePool",
     .infer = infer_global_pool,
     .evaluate = evaluate_global_average_pool,
     .cost = cost_reduction},
    {.name = "GlobalLpPool",
     .infer = infer_global_pool,
     .evaluate = evaluate_global_lp_pool,
     .cost = cost_times_operand<2>},
    {.name = "GlobalMaxPool", .infer = infer_global_pool, .evaluate = evaluate_global_max_pool, .cost = cost_reduction},
    {.name = "LpPool", .infer = infer_pool_10, .evaluate = evaluate_lp_pool, .cost = cost_window},
    {.name = "LpPool", .since = 22, .infer = infer_pool, .evaluate = evaluate_lp_pool, .cost = cost_window},
    {.name = "MaxPool", .infer = infer_max_pool_10, .evaluate = evaluate_max_pool, .cost = cost_window},
    {.name = "MaxPool", .since = 22, .infer = infer_max_pool, .evaluate = evaluate_max_pool, .cost = cost_window},
    {.name = "MaxRoiPool",
     .infer = infer_max_roi_pool,
     .evaluate = evaluate_max_roi_pool,
     .cost = cost_times_operand<1>},
    {.name = "MaxRoiPool",
     .since = 22,
     .infer = infer_max_roi_pool_22,
     .evaluate = evaluate_max_roi_pool,
     .cost = cost_times_operand<1>},
    {.name = "MaxUnpool", .infer = infer_max_unpool, .evaluate = evaluate_max_unpool, .cost = cost_nothing},
    {.name = "NhwcMaxPool",
     .domain = "com.microsoft",
     .infer = infer_max_pool,
     .evaluate = evaluate_max_pool,
     .cost = cost_window},
    {.name = "QLinearAveragePool",
     .domain = "com.microsoft",
     .infer = infer_pool,
     .evaluate = evaluate_quantized_average_pool,
     .cost = cost_window},
    {.name = "QLinearGlobalAveragePool",
     .domain = "com.microsoft",
     .infer = infer_global_pool,
     .evaluate = evaluate_quantized_global_average_pool,
     .cost = cost_reduction},
};

}  // namespace

Family pool() { return kPoolRows; }

}  // namespace onnxpress::ops
