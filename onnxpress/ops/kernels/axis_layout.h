// Views an array as three axes: everything before a group of neighbouring axes, the group as one, and everything after
// it.
#pragma once

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

struct AxisLayout {
  std::size_t outer = 1, length = 1, inner = 1;

  // The group is the axes in [begin, end).
  AxisLayout(std::span<const std::int64_t> sizes, std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      (i < begin ? outer : i < end ? length : inner) *= static_cast<std::size_t>(sizes[i]);
  }
  AxisLayout(std::span<const std::int64_t> sizes, std::size_t axis) : AxisLayout(sizes, axis, axis + 1) {}
};

}  // namespace onnxpress::ops
