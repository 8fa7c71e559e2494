// The loop that convolution (adding up tap by tap) and transposed convolution (spreading tap by tap) share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "onnxpress/ops/kernels/conv_window.h"

namespace onnxpress::ops {

// Neighbours along the last axis that one tap of the kernel covers, without padding: position out + i of the window
// reads element in + i * stride of the operand, for i from 0 to count - 1.
struct ConvRun {
  std::int64_t tap, in, out, count;
};

// Calls `visit(run)` for each run of each tap, in order. The window has at least one axis.
template <typename Visit>
void for_each_run(const ConvWindow& w, Visit&& visit) {
  const std::size_t axes = w.axes(), last = axes - 1;
  const std::int64_t positions = w.positions(), count = w.taps();
  std::vector<ConvWindow::Span> spans(axes);
  std::vector<std::int64_t> tap(axes, 0), at(axes, 0);
  const auto advance = [](std::vector<std::int64_t>& place, const Sizes& sizes, std::size_t rank) {
    for (std::size_t axis = rank; axis-- > 0;) {
      if (++place[axis] < sizes[axis]) break;
      place[axis] = 0;
    }
  };
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::size_t axis = 0; axis < axes; ++axis) spans[axis] = w.inside(axis, tap[axis]);
    std::fill(at.begin(), at.end(), 0);
    for (std::int64_t begin = 0; begin < positions; begin += w.out[last]) {
      std::int64_t offset = 0;
      bool is_inside = true;
      for (std::size_t axis = 0; axis < last; ++axis) {
        is_inside &= at[axis] >= spans[axis].first && at[axis] < spans[axis].last;
        offset = (offset + at[axis] * w.strides[axis] + spans[axis].shift) * w.in[axis + 1];
      }
      const ConvWindow::Span& along = spans[last];
      if (is_inside && along.first < along.last) {
        visit(ConvRun{t, offset + along.first * w.strides[last] + along.shift, begin + along.first,
                      along.last - along.first});
      }
      advance(at, w.out, last);
    }
    advance(tap, w.kernel, axes);
  }
}

}  // namespace onnxpress::ops
