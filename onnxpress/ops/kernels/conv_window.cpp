// Padding and sizes of convolutions.
#include "onnxpress/ops/kernels/conv_window.h"

#include <fmt/format.h>

#include <algorithm>

namespace onnxpress::ops {

namespace {

// Far beyond any real parameter, but small enough that no sum or product of two overflows.
constexpr std::int64_t kMostParameter = std::int64_t{1} << 30;

// A list of `count` elements, each within [least, kMostParameter]; nullopt when it is not valid.
std::optional<Sizes> list_of(const Params& params, std::string_view name, std::size_t count, std::int64_t otherwise,
                             std::int64_t least) {
  const auto given = params.integers(name);
  if (!given || given->empty()) return Sizes(count, otherwise);
  if (given->size() != count) return std::nullopt;
  for (const std::int64_t each : *given) {
    if (each < least || each > kMostParameter) return std::nullopt;
  }
  return *given;
}

bool is_same(std::string_view auto_pad) { return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER"; }

std::int64_t extent(const ConvWindow& window, std::size_t axis) {
  return (window.kernel[axis] - 1) * window.dilations[axis] + 1;
}

// Reads what all forms have in common; `out` and the pads of SAME are left to the caller.
std::optional<ConvWindow> read_window(const Params& params, std::size_t axes, Sizes kernel, std::string& why) {
  ConvWindow window;
  window.kernel = std::move(kernel);
  for (const std::int64_t size : window.kernel) {
    if (size >= 1 && size <= kMostParameter) continue;
    why = "a kernel size is not positive";
    return std::nullopt;
  }
  const auto shape = list_of(params, "kernel_shape", axes, 0, 1);
  const auto strides = list_of(params, "strides", axes, 1, 1), dilations = list_of(params, "dilations", axes, 1, 1);
  const auto pads = list_of(params, "pads", 2 * axes, 0, -kMostParameter);
  const std::string_view auto_pad = params.text_or("auto_pad", "NOTSET");
  const bool known = auto_pad == "NOTSET" || auto_pad == "VALID" || auto_pad.empty() || is_same(auto_pad);
  if (!shape || !strides || !dilations || !pads || !known) {
    why = "kernel_shape, strides, dilations, pads or auto_pad is not valid";
    return std::nullopt;
  }
  if (params.given("kernel_shape") && !shape->empty() && *shape != window.kernel) {
    why = "kernel_shape is not the shape of the weights";
    return std::nullopt;
  }
  window.strides = *strides;
  window.dilations = *dilations;
  window.pads_before.assign(pads->begin(), pads->begin() + static_cast<std::ptrdiff_t>(axes));
  window.pads_after.assign(pads->begin() + static_cast<std::ptrdiff_t>(axes), pads->end());
  if (auto_pad == "VALID" || is_same(auto_pad)) {
    window.pads_before.assign(axes, 0);
    window.pads_after.assign(axes, 0);
  }
  return window;
}

void split_padding(ConvWindow& window, std::size_t axis, std::int64_t total, bool more_after) {
  total = std::max<std::int64_t>(0, total);
  window.pads_before[axis] = more_after ? total / 2 : total - total / 2;
  window.pads_after[axis] = total - window.pads_before[axis];
}

}  // namespace

std::int64_t ConvWindow::product(const Sizes& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

ConvWindow::Span ConvWindow::inside(std::size_t axis, std::int64_t tap) const {
  const std::int64_t shift = tap * dilations[axis] - pads_before[axis], stride = strides[axis];
  const std::int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  const std::int64_t room = in[axis] - shift;
  const std::int64_t last = room <= 0 ? 0 : (room + stride - 1) / stride;
  return {std::min(first, out[axis]), std::max(std::min(first, out[axis]), std::min(last, out[axis])), shift};
}

std::optional<ConvWindow> conv_window(const Params& params, Sizes in, Sizes kernel, std::string& why) {
  auto window = read_window(params, in.size(), std::move(kernel), why);
  if (!window) return std::nullopt;
  window->in = std::move(in);
  const std::string_view auto_pad = params.text_or("auto_pad", "NOTSET");
  for (std::size_t axis = 0; axis < window->axes(); ++axis) {
    const std::int64_t size = window->in[axis], stride = window->strides[axis];
    if (is_same(auto_pad)) {
      const std::int64_t out = (size + stride - 1) / stride;
      split_padding(*window, axis, (out - 1) * stride + extent(*window, axis) - size, auto_pad == "SAME_UPPER");
      window->out.push_back(out);
      continue;
    }
    const std::int64_t room = size + window->pads_before[axis] + window->pads_after[axis] - extent(*window, axis);
    if (room < 0) {
      why = fmt::format("the kernel covers {} elements, more than the padded operand has along axis {}",
                        extent(*window, axis), axis + 2);
      return std::nullopt;
    }
    window->out.push_back(room / stride + 1);
  }
  return window;
}

std::optional<ConvWindow> transposed_window(const Params& params, const Sizes& operand, Sizes kernel,
                                            std::string& why) {
  const std::size_t axes = operand.size();
  auto window = read_window(params, axes, std::move(kernel), why);
  if (!window) return std::nullopt;
  const auto extra = list_of(params, "output_padding", axes, 0, 0);
  auto wanted = params.integers("output_shape").value_or(Sizes());
  if (wanted.size() == axes + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (!extra || (!wanted.empty() && wanted.size() != axes)) {
    why = "output_padding or output_shape is not valid";
    return std::nullopt;
  }
  const std::string_view auto_pad = params.text_or("auto_pad", "NOTSET");
  window->out = operand;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (operand[axis] > kMostParameter || operand[axis] < 1) {
      why = "the operand has no elements or too many";
      return std::nullopt;
    }
    const std::int64_t natural = window->strides[axis] * (operand[axis] - 1) + (*extra)[axis] + extent(*window, axis);
    if (!wanted.empty() || is_same(auto_pad)) {
      const std::int64_t size = wanted.empty() ? operand[axis] * window->strides[axis] : wanted[axis];
      if (size < 0 || size > kMostParameter * 2) {
        why = "output_shape is out of range";
        return std::nullopt;
      }
      split_padding(*window, axis, natural - size, auto_pad == "SAME_UPPER");
      window->in.push_back(size);
      continue;
    }
    window->in.push_back(natural - window->pads_before[axis] - window->pads_after[axis]);
    if (window->in.back() < 0) {
      why = "the padding removes more than the whole result";
      return std::nullopt;
    }
  }
  return window;
}

Sizes image_sizes(std::int64_t batch, std::int64_t channels, const Sizes& spatial) {
  Sizes sizes(spatial.size() + 2);
  sizes[0] = batch;
  sizes[1] = channels;
  std::copy(spatial.begin(), spatial.end(), sizes.begin() + 2);
  return sizes;
}

// --- Symbolic

namespace {

// The effective list; nullopt when it is malformed or known only at run time.
std::optional<Sizes> static_list(const Inference& in, std::string_view name, std::size_t count, std::int64_t otherwise,
                                 std::int64_t least) {
  return list_of(in.params, name, count, otherwise, least);
}

// The kernel's dims, from the attribute if it is given, otherwise from the weights.
std::vector<Dim> kernel_dims(const Inference& in, std::span<const Dim> of_weights, std::size_t axes) {
  if (const auto shape = in.params.integers("kernel_shape"); shape && shape->size() == axes) {
    std::vector<Dim> dims;
    for (const std::int64_t size : *shape) dims.push_back(Dim::fits(size) ? Dim::size(size) : Dim());
    return dims;
  }
  if (of_weights.size() == axes) return {of_weights.begin(), of_weights.end()};
  return std::vector<Dim>(axes);
}

}  // namespace

Shape conv_dims(Inference& in, std::span<const Dim> operand, std::span<const Dim> kernel) {
  const std::size_t axes = operand.size();
  const std::vector<Dim> sizes = kernel_dims(in, kernel, axes);
  const auto strides = static_list(in, "strides", axes, 1, 1), dilations = static_list(in, "dilations", axes, 1, 1);
  auto pads = static_list(in, "pads", 2 * axes, 0, -kMostParameter);
  if (!strides || !dilations || !pads) return Shape(axes);
  const std::string_view auto_pad = in.params.text_or("auto_pad", "NOTSET");
  if (auto_pad == "VALID") pads->assign(2 * axes, 0);
  Shape dims;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Dim stride = Dim::size((*strides)[axis]), one = Dim::size(1);
    if (is_same(auto_pad)) {
      dims.push_back(in.dims.ceil_div(operand[axis], stride));
      continue;
    }
    const Dim reach = in.dims.add(in.dims.mul(in.dims.sub(sizes[axis], one), Dim::size((*dilations)[axis])), one);
    const Dim padded = in.dims.add(operand[axis], Dim::size((*pads)[axis] + (*pads)[axis + axes]));
    dims.push_back(in.dims.add(in.dims.floor_div(in.dims.sub(padded, reach), stride), one));
  }
  return dims;
}

Shape transposed_dims(Inference& in, std::span<const Dim> operand, std::span<const Dim> kernel) {
  const std::size_t axes = operand.size();
  const std::vector<Dim> sizes = kernel_dims(in, kernel, axes);
  const auto strides = static_list(in, "strides", axes, 1, 1), dilations = static_list(in, "dilations", axes, 1, 1);
  const auto extra = static_list(in, "output_padding", axes, 0, 0);
  auto pads = static_list(in, "pads", 2 * axes, 0, -kMostParameter);
  if (!strides || !dilations || !pads || !extra) return Shape(axes);
  const std::string_view auto_pad = in.params.text_or("auto_pad", "NOTSET");
  if (auto_pad == "VALID") pads->assign(2 * axes, 0);
  auto wanted = in.params.integers("output_shape").value_or(Sizes());
  if (wanted.size() == axes + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  Shape dims;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Dim stride = Dim::size((*strides)[axis]), one = Dim::size(1);
    if (wanted.size() == axes) {
      dims.push_back(Dim::fits(wanted[axis]) ? Dim::size(wanted[axis]) : Dim());
    } else if (is_same(auto_pad)) {
      dims.push_back(in.dims.mul(operand[axis], stride));
    } else {
      const Dim reach = in.dims.add(in.dims.mul(in.dims.sub(sizes[axis], one), Dim::size((*dilations)[axis])), one);
      const Dim steps = in.dims.mul(stride, in.dims.sub(operand[axis], one));
      const Dim more = Dim::size((*extra)[axis] - (*pads)[axis] - (*pads)[axis + axes]);
      dims.push_back(in.dims.add(in.dims.add(steps, reach), more));
    }
  }
  return dims;
}

}  // namespace onnxpress::ops
