// The geometry of sliding windows.
#include "onnxpress/ops/kernels/pool_kernel.h"

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/kernels/integer_math.h"

namespace onnxpress::ops {

WindowWalk::WindowWalk(const PoolWindow& window) : axes_(window.axes), outer_(window.axes.size() - 1) {
  Sizes spatial;
  for (const PoolAxis& axis : axes_) spatial.push_back(axis.in);
  strides_ = strides_of(spatial);
  for (std::size_t i = 0; i < outer_; ++i) rows_ *= axes_[i].out;
  const PoolAxis& inner = axes_.back();
  const std::int64_t first_tap =
      std::max<std::int64_t>(ceil_of(inner.pad_begin - (inner.out - 1) * inner.stride, inner.dilation), 0);
  const std::int64_t last_tap = std::min(floor_of(inner.in - 1 + inner.pad_begin, inner.dilation), inner.kernel - 1);
  for (std::int64_t tap = first_tap; tap <= last_tap; ++tap) {
    const std::int64_t shift = tap * inner.dilation - inner.pad_begin;  // window x reads element x * stride + shift
    const std::int64_t begin = std::max<std::int64_t>(ceil_of(-shift, inner.stride), 0);
    const std::int64_t end = std::min(floor_of(inner.in - 1 - shift, inner.stride) + 1, inner.out);
    if (begin < end) inner_runs_.push_back({begin, begin * inner.stride + shift, inner.stride, end - begin});
  }
}

std::pair<std::int64_t, std::int64_t> WindowWalk::valid_taps(const PoolAxis& axis, std::int64_t window) {
  const std::int64_t start = window * axis.stride - axis.pad_begin;
  const std::int64_t first = std::max<std::int64_t>(ceil_of(-start, axis.dilation), 0);
  const std::int64_t last = std::min(floor_of(axis.in - 1 - start, axis.dilation) + 1, axis.kernel);
  return {first, std::max(first, last)};
}

bool WindowWalk::step(std::vector<std::int64_t>& tap, std::span<const std::int64_t> first,
                      std::span<const std::int64_t> last) {
  for (std::size_t i = tap.size(); i-- > 0;) {
    if (++tap[i] < last[i]) return true;
    tap[i] = first[i];
  }
  return false;
}

std::vector<std::vector<std::int64_t>> tap_counts(const PoolWindow& window, bool include_pad) {
  std::vector<std::vector<std::int64_t>> counts;
  for (const PoolAxis& axis : window.axes) {
    auto& list = counts.emplace_back();
    for (std::int64_t x = 0; x < axis.out; ++x) {
      const std::int64_t start = x * axis.stride - axis.pad_begin;
      const std::int64_t end = axis.in + (include_pad ? axis.pad_end : 0);
      const std::int64_t taps = std::min(ceil_of(end - start, axis.dilation), axis.kernel);
      const std::int64_t before = include_pad ? 0 : std::max<std::int64_t>(ceil_of(-start, axis.dilation), 0);
      list.push_back(std::max<std::int64_t>(taps - before, 0));
    }
  }
  return counts;
}

namespace {

// Each window reads those of its taps that are inside the input. In addition, the taps of each axis are walked once to
// find them.
void charge(const PlacedPool& placed) {
  std::uint64_t taps = 1;
  for (const PoolAxis& axis : placed.window.axes) {
    require_scratch(static_cast<std::uint64_t>(axis.out), sizeof(std::int64_t));
    spend_steps(static_cast<std::uint64_t>(axis.out));
    spend_steps(static_cast<std::uint64_t>(std::min(axis.kernel, axis.in + axis.out * axis.stride)));
    taps *= static_cast<std::uint64_t>(std::max<std::int64_t>(std::min(axis.kernel, axis.in), 1));  // at most the input
  }
  spend_steps(placed.planes, placed.out, taps);
}

}  // namespace

std::optional<PlacedPool> place_windows(Call& call, const Array& x) {
  const auto window = PoolWindow::from(call.params);
  if (!window) {
    call.fail("kernel_shape, strides, dilations, pads or auto_pad is missing or not valid");
    return std::nullopt;
  }
  if (x.rank() != window->axes.size() + 2) {
    call.fail("the input's rank is not the length of kernel_shape plus two");
    return std::nullopt;
  }
  PlacedPool placed{.window = *window, .sizes = x.sizes()};
  if (!placed.window.place(std::span(x.sizes()).subspan(2))) {
    call.fail("the input is smaller than the window");
    return std::nullopt;
  }
  Sizes out;
  for (const PoolAxis& axis : placed.window.axes) out.push_back(axis.out);
  std::copy(out.begin(), out.end(), placed.sizes.begin() + 2);
  const auto in_count = count_of(std::span(x.sizes()).subspan(2)), out_count = count_of(out);
  if (!in_count || !out_count || !count_of(placed.sizes)) {
    call.fail("the result has too many elements");
    return std::nullopt;
  }
  placed.in = *in_count;
  placed.out = *out_count;
  placed.planes = static_cast<std::size_t>(x.size(0)) * static_cast<std::size_t>(x.size(1));
  charge(placed);
  return placed;
}

void for_each_plane(std::size_t planes, std::size_t work_of_one, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t kWorthThreads = std::size_t{1} << 19;
  if (planes < 2 || work_of_one < kWorthThreads / planes) {
    for (std::size_t i = 0; i < planes; ++i) work(i);
    return;
  }
  const std::size_t pieces = std::min<std::size_t>(planes, 64);
  parallel_for(pieces, [&](std::size_t piece) {
    for (std::size_t i = planes * piece / pieces; i < planes * (piece + 1) / pieces; ++i) work(i);
  });
}

}  // namespace onnxpress::ops
