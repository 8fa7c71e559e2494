// Where the rows, columns and channels of an image are among the axes of a tensor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::inputs {

// Rows and columns are the last two axes, or those before a last axis of up to four channels; a tensor with one axis
// is one row.
struct ImageLayout {
  std::size_t rows = 1, columns = 1, planes = 1, row_stride = 1, column_stride = 1, plane_stride = 1;
  std::size_t images = 1, image_stride = 1;  // `planes` are the channels of one image

  explicit ImageLayout(const ops::Sizes& sizes) {
    const auto size = [&sizes](std::size_t axis) {
      return static_cast<std::size_t>(std::max<std::int64_t>(1, sizes[axis]));
    };
    const std::size_t rank = sizes.size();
    if (rank == 0) return;
    const bool channels_last = rank >= 3 && sizes[rank - 1] <= 4 && sizes[rank - 2] > 4 && sizes[rank - 3] > 4;
    columns = size(rank - (channels_last ? 2 : 1));
    if (rank > 1) rows = size(rank - (channels_last ? 3 : 2));
    column_stride = channels_last ? size(rank - 1) : 1;
    row_stride = columns * column_stride;
    if (channels_last) {
      planes = size(rank - 1);
    } else if (rank > 2 && sizes[rank - 3] <= 4) {
      planes = size(rank - 3);
    }
    plane_stride = channels_last ? 1 : rows * columns;
    image_stride = rows * columns * planes;
    images = std::max<std::size_t>(1, ops::count_of(sizes).value_or(0) / std::max<std::size_t>(1, image_stride));
  }

  // Calls visit(index, row, column, plane) for each element of one image.
  template <typename Visit>
  void for_each(std::size_t image, const Visit& visit) const {
    for (std::size_t p = 0; p < planes; ++p) {
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c)
          visit(image * image_stride + p * plane_stride + r * row_stride + c * column_stride, r, c, p);
      }
    }
  }

  // Sets each element of one image to value(row, column, plane).
  template <typename Value>
  void fill(std::vector<float>& out, std::size_t image, const Value& value) const {
    for_each(image, [&](std::size_t at, std::size_t r, std::size_t c, std::size_t p) {
      if (at < out.size()) out[at] = static_cast<float>(value(r, c, p));
    });
  }
};

}  // namespace onnxpress::inputs
