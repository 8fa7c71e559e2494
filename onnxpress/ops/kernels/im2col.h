// The operand of a convolution as the right factor of a matrix product, generated block by block: rows are (channel,
// tap), columns are output positions. It is never stored as a whole.
#pragma once

#include <algorithm>
#include <vector>

#include "onnxpress/ops/kernels/conv_window.h"
#include "onnxpress/ops/kernels/gemm.h"

namespace onnxpress::ops {

template <typename T, typename Source>
class Im2Col : public Factor<T> {
 public:
  // `data` holds one image of one group, channel after channel. Padding is treated as `zero`.
  Im2Col(const ConvWindow& window, const Source* data, std::int32_t zero = 0)
      : window_(&window), data_(data), zero_(zero) {}

  void pack(const PanelBlock& block, T* panels) const override {
    std::vector<T> row(block.panels() * block.width, T(0));
    for (std::size_t i = 0; i < block.depths; ++i) {
      fill_row(static_cast<std::int64_t>(block.depth + i), static_cast<std::int64_t>(block.lane),
               static_cast<std::int64_t>(block.lanes), row.data());
      for (std::size_t panel = 0; panel < block.panels(); ++panel) {
        const T* from = row.data() + panel * block.width;
        std::copy(from, from + block.width, panels + (panel * block.depths + i) * block.width);
      }
    }
  }

 private:
  // Fills columns [begin, begin + count) of one row.
  void fill_row(std::int64_t depth, std::int64_t begin, std::int64_t count, T* out) const {
    const ConvWindow& w = *window_;
    const std::size_t axes = w.axes(), last = axes - 1;
    const std::int64_t taps = w.taps();
    std::vector<ConvWindow::Span> spans(axes);
    std::vector<std::int64_t> at(axes);
    std::int64_t tap = depth % taps, position = begin;
    for (std::size_t axis = axes; axis-- > 0;) {
      spans[axis] = w.inside(axis, tap % w.kernel[axis]);
      tap /= w.kernel[axis];
      at[axis] = position % w.out[axis];
      position /= w.out[axis];
    }
    const Source* channel = data_ + depth / taps * w.pixels();
    while (count > 0) {
      const std::int64_t length = std::min(count, w.out[last] - at[last]);
      fill_run(channel, spans, at, length, out);
      out += length;
      count -= length;
      at[last] = 0;
      for (std::size_t axis = last; axis-- > 0;) {
        if (++at[axis] < w.out[axis]) break;
        at[axis] = 0;
      }
    }
  }
  // Fills neighbours along the last axis, from position `at` on.
  void fill_run(const Source* channel, const std::vector<ConvWindow::Span>& spans, const std::vector<std::int64_t>& at,
                std::int64_t length, T* out) const {
    const ConvWindow& w = *window_;
    const std::size_t last = w.axes() - 1;
    std::int64_t offset = 0;
    bool is_inside = true;
    for (std::size_t axis = 0; axis < last; ++axis) {
      is_inside &= at[axis] >= spans[axis].first && at[axis] < spans[axis].last;
      offset = (offset + at[axis] * w.strides[axis] + spans[axis].shift) * w.in[axis + 1];
    }
    const std::int64_t begin = at[last], end = begin + length;
    const std::int64_t first = is_inside ? std::clamp(spans[last].first, begin, end) : end;
    const std::int64_t behind = is_inside ? std::clamp(spans[last].last, first, end) : end;
    std::fill(out, out + (first - begin), T(0));
    if (first < behind)
      copy(channel + offset + first * w.strides[last] + spans[last].shift, behind - first, w.strides[last],
           out + (first - begin));
    std::fill(out + (behind - begin), out + length, T(0));
  }
  void copy(const Source* from, std::int64_t count, std::int64_t stride, T* to) const {
    if constexpr (std::is_same_v<T, Source>) {
      if (stride == 1) {
        std::copy(from, from + count, to);
      } else {
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i)
        to[i] = static_cast<T>(static_cast<std::int32_t>(from[i * stride]) - zero_);
    }
  }

  const ConvWindow* window_;
  const Source* data_;
  std::int32_t zero_;
};

}  // namespace onnxpress::ops
