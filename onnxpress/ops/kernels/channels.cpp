// Moves the channels of images from the last axis to the second, and back.
#include "onnxpress/ops/kernels/channels.h"

#include <algorithm>
#include <cstring>

namespace onnxpress::ops {

namespace {

// result[n, c, r] = array[n, r, c]
Array swapped(const Array& array, Sizes sizes, std::size_t batch, std::size_t rows, std::size_t columns) {
  Array made = Array::make(array.type(), std::move(sizes));
  const std::size_t width = array.width();
  const std::byte* from = array.bytes();
  std::byte* to = made.mutable_bytes();
  for (std::size_t n = 0; n < batch; ++n) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t r = 0; r < rows; ++r, to += width)
        std::memcpy(to, from + ((n * rows + r) * columns + c) * width, width);
    }
  }
  return made;
}

}  // namespace

bool channels_are_last(const Params& params) {
  return params.op().schema->name.starts_with("Nhwc") || params.flag("channels_last");
}

Array channels_first(const Array& array) {
  Sizes sizes = array.sizes();
  std::rotate(sizes.begin() + 1, sizes.end() - 1, sizes.end());
  const auto batch = static_cast<std::size_t>(sizes[0]), channels = static_cast<std::size_t>(sizes[1]);
  const std::size_t spatial = array.count() == 0 ? 0 : array.count() / batch / channels;
  return swapped(array, std::move(sizes), batch, spatial, channels);
}

Array channels_last(const Array& array) {
  Sizes sizes = array.sizes();
  const auto batch = static_cast<std::size_t>(sizes[0]), channels = static_cast<std::size_t>(sizes[1]);
  std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  const std::size_t spatial = array.count() == 0 ? 0 : array.count() / batch / channels;
  return swapped(array, std::move(sizes), batch, channels, spatial);
}

}  // namespace onnxpress::ops
