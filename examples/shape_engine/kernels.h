// The kernels of the engine: one function for each op, on memory that was already allocated.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "onnxpress/onnxpress.h"

// A tensor in memory that it does not own. Pointers of other element types are null.
struct View {
  float* data = nullptr;
  const std::int64_t* integers = nullptr;
  std::span<const std::int64_t> shape;

  std::int64_t dim(int i) const { return shape[static_cast<std::size_t>(i < 0 ? i + int(shape.size()) : i)]; }
  std::int64_t size() const {
    std::int64_t count = 1;
    for (const std::int64_t each : shape) count *= each;
    return count;
  }
};

using Kernel = void (*)(const onnxpress::Node& node, std::span<const View> inputs, const View& output);

// Null for an op that the engine does not have.
Kernel find_kernel(std::string_view op);
