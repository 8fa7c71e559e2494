// The loops that all pooling ops share: windows slide over planes, one row of windows at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <tuple>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/kernels/channels.h"
#include "onnxpress/ops/kernels/pool_window.h"

namespace onnxpress::ops {

// A run of windows along the innermost axis that all have the same tap inside the input: window `out + i` reads the
// element `in + i * stride`.
struct TapRun {
  std::int64_t out, in, stride, count;
};

// Walks the windows of one plane, after PoolWindow::place(). For each row of windows along the innermost axis it calls
// begin(row), then take(run) for each tap inside the input (taps in row-major order), then end(row, taps) with the
// number of outer taps; `row` is the offset of its first window. `counted` says how many taps of a window count along
// an axis (see tap_counts).
class WindowWalk {
 public:
  explicit WindowWalk(const PoolWindow& window);

  template <typename Begin, typename Take, typename End>
  void run(std::span<const std::vector<std::int64_t>> counted, Begin&& begin, Take&& take, End&& end) const {
    const PoolAxis& inner = axes_.back();
    std::vector<std::int64_t> at(outer_, 0), tap(outer_, 0), first(outer_, 0), last(outer_, 0);
    for (std::int64_t row = 0, rows = rows_; row < rows; ++row) {
      const std::int64_t base = row * inner.out;
      std::int64_t taps = 1;
      bool any = true;
      for (std::size_t i = 0; i < outer_; ++i) {
        if (!counted.empty()) taps *= counted[i][static_cast<std::size_t>(at[i])];
        std::tie(first[i], last[i]) = valid_taps(axes_[i], at[i]);
        tap[i] = first[i];
        any = any && first[i] < last[i];
      }
      begin(base);
      while (any) {
        std::int64_t offset = 0;
        for (std::size_t i = 0; i < outer_; ++i) {
          const PoolAxis& axis = axes_[i];
          offset += (at[i] * axis.stride - axis.pad_begin + tap[i] * axis.dilation) * strides_[i];
        }
        for (const TapRun& each : inner_runs_) take(TapRun{base + each.out, offset + each.in, each.stride, each.count});
        any = step(tap, first, last);
      }
      end(base, taps);
      for (std::size_t i = outer_; i-- > 0;) {
        if (++at[i] < axes_[i].out) break;
        at[i] = 0;
      }
    }
  }

 private:
  static std::pair<std::int64_t, std::int64_t> valid_taps(const PoolAxis& axis, std::int64_t window);
  static bool step(std::vector<std::int64_t>& tap, std::span<const std::int64_t> first,
                   std::span<const std::int64_t> last);

  std::span<const PoolAxis> axes_;
  std::size_t outer_;
  std::int64_t rows_ = 1;
  Sizes strides_;  // of the input's spatial axes
  std::vector<TapRun> inner_runs_;
};

// How many taps of each window count in an average, per axis: those inside the input or, with `include_pad`, those
// inside the padded input (with ceil_mode, a window may reach beyond that).
std::vector<std::vector<std::int64_t>> tap_counts(const PoolWindow& window, bool include_pad);

// The windows of a node, placed on its input, and the result's shape.
struct PlacedPool {
  PoolWindow window;
  Sizes sizes;
  std::size_t planes = 0, in = 0, out = 0;  // number of planes, and input and output elements of each

  std::size_t work() const { return out * 9 + in; }  // roughly, per plane
};
// For the input x with channels first; nullopt after Call::fail.
std::optional<PlacedPool> place_windows(Call& call, const Array& x);

// Calls work(plane) for each of `planes`, on several threads if each takes long enough.
void for_each_plane(std::size_t planes, std::size_t work_of_one, const std::function<void(std::size_t)>& work);

}  // namespace onnxpress::ops
