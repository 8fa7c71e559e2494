// The loops that copy blocks.
#include "onnxpress/ops/kernels/block_copy.h"

#include <algorithm>
#include <cstring>

#include "onnxpress/ops/core/element_width.h"

namespace onnxpress::ops {

namespace {

// The block with as few axes as possible: axes of size 1 are dropped, and neighbours that can be walked as one are
// merged.
struct Walked {
  Sizes sizes, from, to;

  Walked(const Sizes& block, const Sizes& from_strides, const Sizes& to_strides) {
    for (std::size_t axis = 0; axis < block.size(); ++axis) {
      if (block[axis] == 1) continue;
      const bool merges = !sizes.empty() && from.back() == from_strides[axis] * block[axis] &&
                          to.back() == to_strides[axis] * block[axis];
      if (merges) {
        sizes.back() *= block[axis];
        from.back() = from_strides[axis];
        to.back() = to_strides[axis];
      } else {
        append(block[axis], from_strides[axis], to_strides[axis]);
      }
    }
    if (sizes.empty()) append(1, 1, 1);
  }

  void append(std::int64_t size, std::int64_t from_stride, std::int64_t to_stride) {
    sizes.push_back(size);
    from.push_back(from_stride);
    to.push_back(to_stride);
  }
  void remove(std::size_t axis) {
    const auto at = static_cast<std::ptrdiff_t>(axis);
    sizes.erase(sizes.begin() + at);
    from.erase(from.begin() + at);
    to.erase(to.begin() + at);
  }

  // Calls `row(from_offset, to_offset)` for each combination of indices.
  template <typename Row>
  void for_each(Row&& row) const {
    Sizes at(sizes.size(), 0);
    std::int64_t from_offset = 0, to_offset = 0;
    for (std::int64_t left = product(sizes); left > 0; --left) {
      row(from_offset, to_offset);
      for (std::size_t axis = sizes.size(); axis-- > 0;) {
        from_offset += from[axis];
        to_offset += to[axis];
        if (++at[axis] < sizes[axis]) break;
        from_offset -= from[axis] * sizes[axis];
        to_offset -= to[axis] * sizes[axis];
        at[axis] = 0;
      }
    }
  }
};

template <typename U>
void copy_run(const U* from, std::int64_t from_stride, U* to, std::int64_t to_stride, std::int64_t count) {
  if (from_stride == 1 && to_stride == 1) {
    std::copy(from, from + count, to);
  } else if (from_stride == 0 && to_stride == 1) {
    std::fill(to, to + count, *from);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

// Copies a plane that is read along one axis and written along the other: in tiles, so that both sides use whole cache
// lines.
template <typename U>
void copy_plane(const U* from, std::int64_t from_stride, std::int64_t columns, U* to, std::int64_t to_stride,
                std::int64_t rows) {
  constexpr std::int64_t kTile = 16;
  for (std::int64_t row = 0; row < rows; row += kTile) {
    const std::int64_t row_end = std::min(rows, row + kTile);
    for (std::int64_t column = 0; column < columns; column += kTile) {
      const std::int64_t column_end = std::min(columns, column + kTile);
      for (std::int64_t i = row; i < row_end; ++i) {
        for (std::int64_t j = column; j < column_end; ++j) to[i * to_stride + j] = from[i + j * from_stride];
      }
    }
  }
}

template <typename U>
void copy_walked(Walked walked, const U* from, U* to) {
  const std::int64_t columns = walked.sizes.back(), from_stride = walked.from.back(), to_stride = walked.to.back();
  const auto contiguous = std::find(walked.from.begin(), walked.from.end() - 1, 1);
  walked.remove(walked.sizes.size() - 1);
  if (contiguous - walked.from.begin() < static_cast<std::ptrdiff_t>(walked.from.size()) && from_stride > 1 &&
      to_stride == 1) {
    const auto axis = static_cast<std::size_t>(contiguous - walked.from.begin());
    const std::int64_t rows = walked.sizes[axis], row_stride = walked.to[axis];
    walked.remove(axis);
    walked.for_each([&](std::int64_t read, std::int64_t write) {
      copy_plane(from + read, from_stride, columns, to + write, row_stride, rows);
    });
    return;
  }
  walked.for_each([&](std::int64_t read, std::int64_t write) {
    copy_run(from + read, from_stride, to + write, to_stride, columns);
  });
}

}  // namespace

std::int64_t product(const Sizes& sizes, std::size_t begin, std::size_t end) {
  std::int64_t count = 1;
  for (std::size_t axis = begin; axis < end; ++axis) count *= sizes[axis];
  return count;
}

void copy_block(const Sizes& sizes, const Array& from, const Layout& from_layout, Array& to, const Layout& to_layout) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  dispatch_width(from, [&]<typename U>() {
    copy_walked(Walked(sizes, from_layout.strides, to_layout.strides), units_of<U>(from) + from_layout.offset,
                mutable_units_of<U>(to) + to_layout.offset);
  });
}

Array block_of(const Array& from, const Layout& layout, const Sizes& block, Sizes sizes) {
  Array to = Array::make(from.type(), std::move(sizes));
  copy_block(block, from, layout, to, {0, strides_of(block)});
  return to;
}

void fill(Array& to, const Array* element) {
  dispatch_width(to, [&]<typename U>() {
    std::fill_n(mutable_units_of<U>(to), to.count(), element ? *units_of<U>(*element) : U());
  });
}

Array zeros(ElementType type, Sizes sizes) {
  Array made = Array::make(type, std::move(sizes));
  fill(made, nullptr);
  return made;
}

}  // namespace onnxpress::ops
