// One copy per part.
#include "onnxpress/ops/kernels/concatenated.h"

#include "onnxpress/ops/kernels/block_copy.h"

namespace onnxpress::ops {

namespace {

bool goes_with(const Array& part, const Array& first, std::size_t axis) {
  if (part.rank() != first.rank() || part.type() != first.type() || axis >= part.rank()) return false;
  for (std::size_t i = 0; i < part.rank(); ++i) {
    if (i != axis && part.size(i) != first.size(i)) return false;
  }
  return true;
}

}  // namespace

std::optional<Array> concatenated(std::span<const Array> parts, std::size_t axis) {
  if (parts.empty() || axis >= parts[0].rank()) return std::nullopt;
  Sizes sizes = parts[0].sizes();
  sizes[axis] = 0;
  for (const Array& part : parts) {
    if (!goes_with(part, parts[0], axis)) return std::nullopt;
    sizes[axis] += part.size(axis);
    if (!count_of(sizes)) return std::nullopt;
  }
  Array made = Array::make(parts[0].type(), sizes);
  Layout to{0, strides_of(sizes)};
  for (const Array& part : parts) {
    copy_block(part.sizes(), part, {0, strides_of(part.sizes())}, made, to);
    to.offset += part.size(axis) * to.strides[axis];
  }
  return made;
}

std::optional<Array> stacked(std::span<const Array> parts, std::size_t axis) {
  std::vector<Array> widened;
  for (const Array& part : parts) {
    Sizes sizes = part.sizes();
    if (axis > sizes.size()) return std::nullopt;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    widened.push_back(part.reshaped(std::move(sizes)));
  }
  return concatenated(widened, axis);
}

}  // namespace onnxpress::ops
