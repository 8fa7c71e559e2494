// Copies blocks of elements between arrays along any strides: what transposing, slicing, tiling, concatenating and
// splitting have in common.
#pragma once

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// Where the elements of a block are in an array: the first one, and the strides of each axis of the block, all in
// elements. Strides may be 0 (repeats) and, when reading, negative.
struct Layout {
  std::int64_t offset = 0;
  Sizes strides;
};

// to[index] = from[index] for every index of a block of these sizes. Both layouts must stay inside their arrays, which
// have the same type.
void copy_block(const Sizes& sizes, const Array& from, const Layout& from_layout, Array& to, const Layout& to_layout);

// A new array with the elements of a block, in the block's order. `sizes` is the block's shape, or another one with the
// same count.
Array block_of(const Array& from, const Layout& layout, const Sizes& block, Sizes sizes);

// Sets all elements to the first one of `element`; to zeros (or empty strings) when that is null.
void fill(Array& to, const Array* element);

// A new array of zeros or empty strings.
Array zeros(ElementType type, Sizes sizes);

// The product of sizes in [begin, end).
std::int64_t product(const Sizes& sizes, std::size_t begin, std::size_t end);
inline std::int64_t product(const Sizes& sizes) { return product(sizes, 0, sizes.size()); }

}  // namespace onnxpress::ops
