// The windows of a pooling op: kernel, strides, dilations, padding, and the number of windows per axis.
#pragma once

#include <optional>

#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The windows along one spatial axis.
struct PoolAxis {
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t pad_begin = 0, pad_end = 0;
  std::int64_t in = 0, out = 0;  // sizes; set by place()

  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }  // of one window
};

enum class AutoPad : std::uint8_t { kNotSet, kValid, kSameUpper, kSameLower };

// The attributes of the node, before the input's size is known.
struct PoolWindow {
  std::vector<PoolAxis> axes;
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;

  // Nullopt when an attribute is missing, has the wrong length, or has a value out of range.
  static std::optional<PoolWindow> from(const Params& params);
  // Computes the padding and the number of windows for these spatial sizes; false when there is no room for a window.
  bool place(std::span<const std::int64_t> spatial);
  // The number of windows along an axis of symbolic size.
  Dim windows_along(DimMath& dims, std::size_t axis, Dim size) const;
  // Does a window that rounding up adds start in the padding at the end? Then it is left out: by the standard since
  // opset 22, by runtimes always. True also when an unknown size makes it possible.
  bool may_leave_out(std::size_t axis, Dim size) const;
};

}  // namespace onnxpress::ops
