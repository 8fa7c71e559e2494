// Strided copies, by width of the elements.
#include "onnxpress/ops/kernels/permute.h"

#include <cstring>

namespace onnxpress::ops {

namespace {

struct Bytes16 {
  std::uint64_t low, high;
};

// Counts through all axes except the innermost two, which are plain loops.
template <typename Word>
void copy_strided(const Word* from, Word* to, const Sizes& sizes, const Sizes& strides) {
  const std::size_t rank = sizes.size();
  const std::int64_t columns = rank > 0 ? sizes[rank - 1] : 1, column_step = rank > 0 ? strides[rank - 1] : 0;
  const std::int64_t rows = rank > 1 ? sizes[rank - 2] : 1, row_step = rank > 1 ? strides[rank - 2] : 0;
  std::int64_t outer = 1;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) outer *= sizes[axis];
  Sizes at(rank, 0);
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const Word* source = from + row * row_step;
      for (std::int64_t column = 0; column < columns; ++column) to[column] = source[column * column_step];
      to += columns;
    }
    for (std::size_t axis = rank < 2 ? 0 : rank - 2; axis-- > 0;) {
      from += strides[axis];
      if (++at[axis] < sizes[axis]) break;
      from -= strides[axis] * sizes[axis];
      at[axis] = 0;
    }
  }
}

}  // namespace

Array gathered(const Array& array, const Sizes& sizes, const Sizes& strides) {
  Array result = Array::make(array.type(), sizes);
  if (result.count() == 0) return result;
  const auto copy = [&]<typename Word>() {
    copy_strided(reinterpret_cast<const Word*>(array.bytes()), reinterpret_cast<Word*>(result.mutable_bytes()), sizes,
                 strides);
  };
  switch (array.width()) {
    case 1:
      copy.operator()<std::uint8_t>();
      break;
    case 2:
      copy.operator()<std::uint16_t>();
      break;
    case 4:
      copy.operator()<std::uint32_t>();
      break;
    case 8:
      copy.operator()<std::uint64_t>();
      break;
    default:
      copy.operator()<Bytes16>();
      break;
  }
  return result;
}

Array permuted(const Array& array, std::span<const std::size_t> order) {
  const Sizes from = strides_of(array.sizes());
  Sizes sizes, strides;
  for (const std::size_t axis : order) {
    sizes.push_back(array.size(axis));
    strides.push_back(from[axis]);
  }
  return gathered(array, sizes, strides);
}

}  // namespace onnxpress::ops
