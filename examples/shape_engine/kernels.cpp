// Kernels that are as simple as possible, because this example is about shapes and memory.
#include "kernels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

std::vector<std::int64_t> integers(const onnxpress::Node& node, std::string_view name,
                                   std::vector<std::int64_t> otherwise) {
  const onnxpress::Attribute* attribute = node.attribute(name);
  if (!attribute) return otherwise;
  const auto& list = std::get<std::span<const std::int64_t>>(attribute->value);
  return {list.begin(), list.end()};
}

void relu(const onnxpress::Node&, std::span<const View> inputs, const View& output) {
  for (std::int64_t i = 0; i < output.size(); ++i) output.data[i] = std::max(inputs[0].data[i], 0.0f);
}

void add(const onnxpress::Node&, std::span<const View> inputs, const View& output) {
  for (std::int64_t i = 0; i < output.size(); ++i) output.data[i] = inputs[0].data[i] + inputs[1].data[i];
}

// The engine knows the new shape; the order of elements does not change.
void reshape(const onnxpress::Node&, std::span<const View> inputs, const View& output) {
  std::copy_n(inputs[0].data, output.size(), output.data);
}

// x[n,c,h,w], w[m,c,kh,kw], optionally b[m]
void conv(const onnxpress::Node& node, std::span<const View> inputs, const View& output) {
  const View &x = inputs[0], &w = inputs[1];
  const auto strides = integers(node, "strides", {1, 1}), pads = integers(node, "pads", {0, 0, 0, 0});
  const std::int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3);
  float* y = output.data;
  for (std::int64_t n = 0; n < output.dim(0); ++n)
    for (std::int64_t m = 0; m < output.dim(1); ++m)
      for (std::int64_t row = 0; row < output.dim(2); ++row)
        for (std::int64_t column = 0; column < output.dim(3); ++column) {
          float sum = inputs.size() > 2 ? inputs[2].data[m] : 0.0f;
          for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t i = 0; i < w.dim(2); ++i)
              for (std::int64_t j = 0; j < w.dim(3); ++j) {
                const std::int64_t r = row * strides[0] + i - pads[0], k = column * strides[1] + j - pads[1];
                if (r < 0 || r >= height || k < 0 || k >= width) continue;
                sum += x.data[((n * channels + c) * height + r) * width + k] *
                       w.data[((m * channels + c) * w.dim(2) + i) * w.dim(3) + j];
              }
          *y++ = sum;
        }
}

// Swaps the last two of three dims.
void transpose(const onnxpress::Node&, std::span<const View> inputs, const View& output) {
  const std::int64_t rows = output.dim(1), columns = output.dim(2);
  for (std::int64_t n = 0; n < output.dim(0); ++n)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        output.data[(n * rows + i) * columns + j] = inputs[0].data[(n * columns + j) * rows + i];
}

// x[...,k] times w[k,m]
void matmul(const onnxpress::Node&, std::span<const View> inputs, const View& output) {
  const View &x = inputs[0], &w = inputs[1];
  const std::int64_t inner = w.dim(0), columns = w.dim(1);
  for (std::int64_t i = 0; i < output.size() / columns; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < inner; ++k) sum += x.data[i * inner + k] * w.data[k * columns + j];
      output.data[i * columns + j] = sum;
    }
}

// Along the last dim.
void softmax(const onnxpress::Node&, std::span<const View> inputs, const View& output) {
  const std::int64_t length = output.dim(-1);
  for (std::int64_t start = 0; start < output.size(); start += length) {
    const float *x = inputs[0].data + start, most = *std::max_element(x, x + length);
    float sum = 0;
    for (std::int64_t i = 0; i < length; ++i) sum += output.data[start + i] = std::exp(x[i] - most);
    for (std::int64_t i = 0; i < length; ++i) output.data[start + i] /= sum;
  }
}

}  // namespace

Kernel find_kernel(std::string_view op) {
  constexpr std::pair<std::string_view, Kernel> kKernels[] = {
      {"Add", add},         {"Conv", conv},       {"MatMul", matmul},      {"Relu", relu},
      {"Reshape", reshape}, {"Softmax", softmax}, {"Transpose", transpose}};
  for (const auto& [name, kernel] : kKernels) {
    if (name == op) return kernel;
  }
  return nullptr;
}
