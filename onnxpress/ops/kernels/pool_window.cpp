// Padding and the number of windows of pooling ops.
#include "onnxpress/ops/kernels/pool_window.h"

#include "onnxpress/ops/kernels/integer_math.h"

namespace onnxpress::ops {

namespace {

// No real model needs more, and products of two such numbers are far from overflowing.
constexpr std::int64_t kMostExtent = std::int64_t{1} << 30;

// Reads a list attribute of `length` values that may be absent.
bool read(const Params& params, std::string_view name, std::size_t length, std::int64_t least,
          std::vector<std::int64_t>& values) {
  if (!params.given(name)) return true;
  const auto list = params.integers(name);
  if (!list) return false;
  if (list->empty()) return true;
  if (list->size() != length) return false;
  for (const std::int64_t each : *list) {
    if (each < least || each > kMostExtent) return false;
  }
  values = *list;
  return true;
}

}  // namespace

std::optional<PoolWindow> PoolWindow::from(const Params& params) {
  const auto kernel = params.integers("kernel_shape");
  if (!kernel || kernel->empty()) return std::nullopt;
  const std::size_t rank = kernel->size();
  std::vector<std::int64_t> sizes(rank, 1), strides(rank, 1), dilations(rank, 1), pads(2 * rank, 0);
  if (!read(params, "kernel_shape", rank, 1, sizes) || !read(params, "strides", rank, 1, strides) ||
      !read(params, "dilations", rank, 1, dilations) || !read(params, "pads", 2 * rank, 0, pads))
    return std::nullopt;
  PoolWindow window;
  for (std::size_t i = 0; i < rank; ++i)
    window.axes.push_back({sizes[i], strides[i], dilations[i], pads[i], pads[rank + i]});
  const std::string_view auto_pad = params.text_or("auto_pad", "NOTSET");
  if (auto_pad == "VALID") {
    window.auto_pad = AutoPad::kValid;
  } else if (auto_pad == "SAME_UPPER") {
    window.auto_pad = AutoPad::kSameUpper;
  } else if (auto_pad == "SAME_LOWER") {
    window.auto_pad = AutoPad::kSameLower;
  } else if (auto_pad != "NOTSET" && !auto_pad.empty()) {
    return std::nullopt;
  }
  if (window.auto_pad != AutoPad::kNotSet) {
    for (PoolAxis& axis : window.axes) axis.pad_begin = axis.pad_end = 0;
  }
  window.ceil_mode = params.flag("ceil_mode");
  return window;
}

bool PoolWindow::place(std::span<const std::int64_t> spatial) {
  if (spatial.size() != axes.size()) return false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    PoolAxis& axis = axes[i];
    axis.in = spatial[i];
    if (axis.in < 0 || axis.in > kMostExtent) return false;
    if (auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower) {
      axis.out = ceil_of(axis.in, axis.stride);
      const std::int64_t pad = std::max<std::int64_t>((axis.out - 1) * axis.stride + axis.reach() - axis.in, 0);
      axis.pad_begin = auto_pad == AutoPad::kSameUpper ? pad / 2 : (pad + 1) / 2;
      axis.pad_end = pad - axis.pad_begin;
    } else {
      const std::int64_t room = axis.in + axis.pad_begin + axis.pad_end - axis.reach();
      if (room < 0 && !ceil_mode) return false;
      axis.out = (ceil_mode ? ceil_of(room, axis.stride) : room / axis.stride) + 1;
      // A window must not start in the padding at the end.
      if (ceil_mode) axis.out = std::min(axis.out, floor_of(axis.in + axis.pad_begin - 1, axis.stride) + 1);
    }
    if (axis.out < (axis.in == 0 ? 0 : 1)) return false;
  }
  return true;
}

Dim PoolWindow::windows_along(DimMath& dims, std::size_t i, Dim size) const {
  const PoolAxis& axis = axes[i];
  const Dim stride = Dim::size(axis.stride), one = Dim::size(1);
  if (auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower) return dims.ceil_div(size, stride);
  const Dim room = dims.add(size, Dim::size(axis.pad_begin + axis.pad_end - axis.reach()));
  if (!ceil_mode) return dims.add(dims.floor_div(room, stride), one);
  const Dim all = dims.add(dims.ceil_div(room, stride), one);
  // In this case the last window always starts before the end of the input.
  if (axis.pad_end + axis.stride <= axis.reach()) return all;
  const Dim last = dims.floor_div(dims.add(size, Dim::size(axis.pad_begin - 1)), stride);
  return dims.min(all, dims.add(last, one));
}

bool PoolWindow::may_leave_out(std::size_t i, Dim size) const {
  const PoolAxis& axis = axes[i];
  const bool same = auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower;
  if (!ceil_mode || same || axis.pad_end + axis.stride <= axis.reach()) return false;
  const auto in = size.size();
  if (!in || *in < 0 || *in > kMostExtent) return true;
  return ceil_of(*in + axis.pad_begin + axis.pad_end - axis.reach(), axis.stride) >
         floor_of(*in + axis.pad_begin - 1, axis.stride);
}

}  // namespace onnxpress::ops
