// How the window of a convolution slides over its operand: sizes, strides, dilations and padding of each spatial axis.
#pragma once

#include <optional>
#include <string>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

struct ConvWindow {
  Sizes in, kernel, strides, dilations, pads_before, pads_after, out;

  std::size_t axes() const { return in.size(); }
  std::int64_t taps() const { return product(kernel); }
  std::int64_t positions() const { return product(out); }
  std::int64_t pixels() const { return product(in); }
  // Output positions in [first, last) along the axis have this tap inside the operand, at position * stride + shift.
  struct Span {
    std::int64_t first, last, shift;
  };
  Span inside(std::size_t axis, std::int64_t tap) const;

 private:
  static std::int64_t product(const Sizes& sizes);
};

// The window of a Conv-like op over an operand with these spatial sizes; nullopt, with the reason in `why`, when the
// parameters are not valid.
std::optional<ConvWindow> conv_window(const Params& params, Sizes in, Sizes kernel, std::string& why);
// The same for ConvTranspose: `in` is the (larger) result and `out` the operand, so that the window slides over the
// result.
std::optional<ConvWindow> transposed_window(const Params& params, const Sizes& operand, Sizes kernel, std::string& why);

// [batch, channels, spatial...]
Sizes image_sizes(std::int64_t batch, std::int64_t channels, const Sizes& spatial);

// The spatial dims of the result of a Conv-like op.
Shape conv_dims(Inference& in, std::span<const Dim> operand, std::span<const Dim> kernel);
Shape transposed_dims(Inference& in, std::span<const Dim> operand, std::span<const Dim> kernel);

}  // namespace onnxpress::ops
