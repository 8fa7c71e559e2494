// Products of stacks of matrices.
#include "onnxpress/ops/kernels/matmul_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/kernels/elementwise.h"

namespace onnxpress::ops {

namespace {

// Offsets of every matrix of a stack, walked along the broadcast batch axes.
std::vector<std::int64_t> offsets_of(const Sizes& batch, const Sizes& own, std::int64_t matrix, std::size_t products) {
  const Sizes* shapes[] = {&own};
  const Walk walk(batch, shapes);
  std::vector<std::int64_t> offsets;
  offsets.reserve(products);
  walk.for_each_row([&](const Sizes& at) {
    for (std::int64_t i = 0; i < walk.sizes.back(); ++i)
      offsets.push_back((at[0] + i * walk.strides[0].back()) * matrix);
  });
  return offsets;
}

template <typename T>
Matrix<T> matrix_of(const T* data, std::size_t rows, std::size_t columns, bool transpose) {
  if (transpose) return {data, 1, static_cast<std::ptrdiff_t>(rows)};
  return {data, static_cast<std::ptrdiff_t>(columns), 1};
}

// Integers: row by row, wrapping around.
template <typename T>
void multiply_wrapping(GemmSizes sizes, Matrix<T> a, Matrix<T> b, T* c) {
  std::fill(c, c + sizes.rows * sizes.columns, T(0));
  for (std::size_t i = 0; i < sizes.rows; ++i, c += sizes.columns) {
    for (std::size_t k = 0; k < sizes.depth; ++k) {
      const T factor =
          a.data[static_cast<std::ptrdiff_t>(i) * a.row_stride + static_cast<std::ptrdiff_t>(k) * a.column_stride];
      const T* row = b.data + static_cast<std::ptrdiff_t>(k) * b.row_stride;
      for (std::size_t j = 0; j < sizes.columns; ++j)
        c[j] += factor * row[static_cast<std::ptrdiff_t>(j) * b.column_stride];
    }
  }
}

template <typename T>
void multiply_typed(const MatMulPlan& plan, const void* a_data, const void* b_data, void* c_data) {
  const std::size_t rows = plan.matrix.rows, columns = plan.matrix.columns, depth = plan.matrix.depth;
  const auto *a = static_cast<const T*>(a_data), *b = static_cast<const T*>(b_data);
  auto* c = static_cast<T*>(c_data);
  if constexpr (std::is_floating_point_v<T>) {
    if (plan.same_right && plan.products() > 0) {
      const std::size_t all_rows = rows * plan.products();
      gemm({all_rows, columns, depth}, matrix_of(a, all_rows, depth, false),
           matrix_of(b, depth, columns, plan.transpose_b), c, columns);
      return;
    }
  } else {
    spend_steps(plan.products(), rows * columns, depth);
  }
  for_each_product(plan.products(), rows * columns * depth, [&](std::size_t i, bool parallel) {
    const auto left = matrix_of(a + plan.a_at[i], rows, depth, plan.transpose_a);
    const auto right = matrix_of(b + plan.b_at[i], depth, columns, plan.transpose_b);
    T* to = c + i * rows * columns;
    if constexpr (std::is_floating_point_v<T>) {
      gemm(plan.matrix, left, right, to, columns, {.parallel = parallel});
    } else {
      multiply_wrapping(plan.matrix, left, right, to);
    }
  });
}

// Zero points of an operand, laid out as IntegerMatrix expects them.
struct ZeroPoints {
  std::vector<std::int32_t> list;
  std::size_t per_product = 0;  // step in `list` from product to product

  static std::optional<ZeroPoints> of(const Array& array, std::size_t lanes, std::size_t products) {
    ZeroPoints points;
    if (array.type() == ElementType::kUndefined) return points;
    const auto integers = array.integers();
    if (!integers) return std::nullopt;
    points.list.assign(integers->begin(), integers->end());
    if (points.list.size() == 1 || points.list.size() == lanes) return points;
    if (points.list.size() != lanes * products) return std::nullopt;
    points.per_product = lanes;
    return points;
  }
  bool is_single() const { return list.size() <= 1; }
  void put(IntegerMatrix& matrix, std::size_t product) const {
    if (is_single()) {
      matrix.zero = list.empty() ? 0 : list[0];
    } else {
      matrix.zeros = list.data() + product * per_product;
    }
  }
};

IntegerMatrix integer_matrix(const Array& array, std::int64_t at, std::size_t rows, std::size_t columns,
                             bool transpose) {
  IntegerMatrix matrix{.data = array.bytes() + at, .is_signed = array.type() == ElementType::kInt8};
  matrix.row_stride = transpose ? 1 : static_cast<std::ptrdiff_t>(columns);
  matrix.column_stride = transpose ? static_cast<std::ptrdiff_t>(rows) : 1;
  return matrix;
}

}  // namespace

std::optional<MatMulPlan> plan_matmul(Sizes a, Sizes b, bool transpose_a, bool transpose_b) {
  if (a.empty() || b.empty()) return std::nullopt;
  const bool row = a.size() == 1, column = b.size() == 1;
  MatMulPlan plan{.transpose_a = transpose_a && !row, .transpose_b = transpose_b && !column};
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (plan.transpose_a) std::swap(a.back(), a[a.size() - 2]);
  if (plan.transpose_b) std::swap(b.back(), b[b.size() - 2]);
  const std::int64_t rows = a[a.size() - 2], depth = a.back(), columns = b.back();
  if (depth != b[b.size() - 2]) return std::nullopt;
  const Sizes a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
  const Sizes* batches[] = {&a_batch, &b_batch};
  const auto batch = broadcast_sizes(batches);
  if (!batch) return std::nullopt;
  plan.matrix = {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), static_cast<std::size_t>(depth)};
  plan.sizes = *batch;
  if (!row) plan.sizes.push_back(rows);
  if (!column) plan.sizes.push_back(columns);
  const auto count = count_of(plan.sizes), products = count_of(*batch);
  if (!count || !products) return std::nullopt;
  if (*count == 0) return plan;
  plan.a_at = offsets_of(*batch, a_batch, rows * depth, *products);
  plan.b_at = offsets_of(*batch, b_batch, depth * columns, *products);
  plan.same_right = !plan.transpose_a && count_of(a_batch) == products && count_of(b_batch) == 1;
  return plan;
}

Array multiply(const MatMulPlan& plan, const Array& a, const Array& b) {
  Array result = Array::make(a.type(), plan.sizes);
  void* to = result.mutable_bytes();
  switch (a.type()) {
    case ElementType::kFloat:
      multiply_typed<float>(plan, a.bytes(), b.bytes(), to);
      break;
    case ElementType::kDouble:
      multiply_typed<double>(plan, a.bytes(), b.bytes(), to);
      break;
    case ElementType::kInt32:
    case ElementType::kUint32:
      multiply_typed<std::uint32_t>(plan, a.bytes(), b.bytes(), to);
      break;
    default:
      multiply_typed<std::uint64_t>(plan, a.bytes(), b.bytes(), to);
      break;
  }
  return result;
}

std::optional<Array> multiply_integers(const MatMulPlan& plan, const Array& a, const Array& b, const Array& a_zero,
                                       const Array& b_zero) {
  const std::size_t rows = plan.matrix.rows, columns = plan.matrix.columns, depth = plan.matrix.depth;
  const auto a_zeros = ZeroPoints::of(a_zero, rows, plan.products());
  const auto b_zeros = ZeroPoints::of(b_zero, columns, plan.products());
  if (!a_zeros || !b_zeros) return std::nullopt;
  Array result = Array::make(ElementType::kInt32, plan.sizes);
  auto* c = result.mutable_data<std::int32_t>().data();
  const bool at_once = plan.same_right && plan.products() > 0 && a_zeros->is_single() && b_zeros->per_product == 0;
  const std::size_t products = at_once ? 1 : plan.products(), each_rows = at_once ? rows * plan.products() : rows;
  for_each_product(products, each_rows * columns * depth, [&](std::size_t i, bool parallel) {
    IntegerMatrix left = integer_matrix(a, plan.a_at[i], each_rows, depth, plan.transpose_a);
    IntegerMatrix right = integer_matrix(b, plan.b_at[i], depth, columns, plan.transpose_b);
    a_zeros->put(left, i);
    b_zeros->put(right, i);
    gemm({each_rows, columns, depth}, left, right, c + i * each_rows * columns, columns, {.parallel = parallel});
  });
  return result;
}

std::optional<Shape> matmul_shape(Inference& in, const Shape* a, const Shape* b, bool transpose_a, bool transpose_b) {
  if (!a || !b) return std::nullopt;
  if (a->empty() || b->empty()) {
    in.contradict("a scalar cannot be multiplied as a matrix");
    return std::nullopt;
  }
  const bool row = a->size() == 1, column = b->size() == 1;
  Shape left = *a, right = *b;
  if (row) left.insert(left.begin(), Dim::size(1));
  if (column) right.push_back(Dim::size(1));
  if (transpose_a && !row) std::swap(left.back(), left[left.size() - 2]);
  if (transpose_b && !column) std::swap(right.back(), right[right.size() - 2]);
  in.unify(left.back(), right[right.size() - 2]);
  const Shape left_batch(left.begin(), left.end() - 2), right_batch(right.begin(), right.end() - 2);
  const Shape* batches[] = {&left_batch, &right_batch};
  auto shape = broadcast(in, batches);
  if (!shape) return std::nullopt;
  if (!row) shape->push_back(left[left.size() - 2]);
  if (!column) shape->push_back(right.back());
  return shape;
}

std::string shapes_text(const Sizes& a, const Sizes& b) {
  return fmt::format("[{}] and [{}]", fmt::join(a, ","), fmt::join(b, ","));
}

}  // namespace onnxpress::ops
