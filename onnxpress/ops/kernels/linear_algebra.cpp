// Gaussian elimination with pivots, in double.
#include "onnxpress/ops/kernels/linear_algebra.h"

#include <cmath>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

// The row at or below `from` with the largest magnitude in that column.
std::size_t pivot_row(const std::vector<double>& matrix, std::size_t n, std::size_t from) {
  std::size_t best = from;
  for (std::size_t row = from + 1; row < n; ++row) {
    if (std::abs(matrix[row * n + from]) > std::abs(matrix[best * n + from])) best = row;
  }
  return best;
}

void swap_rows(std::vector<double>& matrix, std::size_t n, std::size_t a, std::size_t b) {
  if (a == b) return;
  for (std::size_t k = 0; k < n; ++k) std::swap(matrix[a * n + k], matrix[b * n + k]);
}

double determinant(std::vector<double> matrix, std::size_t n) {
  double result = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t pivot = pivot_row(matrix, n, i);
    if (matrix[pivot * n + i] == 0) return 0;
    if (pivot != i) result = -result;
    swap_rows(matrix, n, pivot, i);
    result *= matrix[i * n + i];
    for (std::size_t row = i + 1; row < n; ++row) {
      const double factor = matrix[row * n + i] / matrix[i * n + i];
      for (std::size_t k = i; k < n; ++k) matrix[row * n + k] -= factor * matrix[i * n + k];
    }
  }
  return result;
}

// A singular matrix gives infinities and NaNs.
std::vector<double> inverse(std::vector<double> matrix, std::size_t n) {
  std::vector<double> result(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) result[i * n + i] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t pivot = pivot_row(matrix, n, i);
    swap_rows(matrix, n, pivot, i);
    swap_rows(result, n, pivot, i);
    const double scale = 1 / matrix[i * n + i];
    for (std::size_t k = 0; k < n; ++k) {
      matrix[i * n + k] *= scale;
      result[i * n + k] *= scale;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = matrix[row * n + i];
      if (row == i || factor == 0) continue;
      for (std::size_t k = 0; k < n; ++k) {
        matrix[row * n + k] -= factor * matrix[i * n + k];
        result[row * n + k] -= factor * result[i * n + k];
      }
    }
  }
  return result;
}

bool is_square(const Array& array) {
  return array.rank() >= 2 && array.size(array.rank() - 1) == array.size(array.rank() - 2);
}

}  // namespace

void infer_det(Inference& in) {
  const Shape* shape = in.shape(0);
  if (!shape || !require_rank_at_least(in, 0, 2)) return;
  in.unify(shape->back(), (*shape)[shape->size() - 2]);
  in.set_shape(Shape(shape->begin(), shape->end() - 2));
}

bool evaluate_det(Call& call) {
  const Array x = widened(call.array(0));
  if (!is_float_like(x.type())) return call.fail_type();
  if (!is_square(x)) return call.fail("the operand does not hold square matrices");
  const auto n = static_cast<std::size_t>(x.size(x.rank() - 1));
  spend_steps(x.count(), n);
  dispatch(WideFloats(), x.type(), [&]<typename T>() {
    Array y = Array::make<T>(Sizes(x.sizes().begin(), x.sizes().end() - 2));
    const T* from = x.data<T>().data();
    for (T& each : y.template mutable_data<T>()) {
      each = static_cast<T>(determinant(std::vector<double>(from, from + n * n), n));
      from += n * n;
    }
    call.set(0, narrowed(std::move(y), call.array(0).type()));
  });
  return true;
}

bool evaluate_inverse(Call& call) {
  const Array x = widened(call.array(0));
  if (!is_float_like(x.type())) return call.fail_type();
  if (!is_square(x)) return call.fail("the operand does not hold square matrices");
  const auto n = static_cast<std::size_t>(x.size(x.rank() - 1));
  spend_steps(x.count(), n);
  dispatch(WideFloats(), x.type(), [&]<typename T>() {
    Array y = Array::make<T>(x.sizes());
    const T* from = x.data<T>().data();
    T* to = y.template mutable_data<T>().data();
    for (std::size_t at = 0; at < x.count(); at += n * n) {
      const std::vector<double> each = inverse(std::vector<double>(from + at, from + at + n * n), n);
      for (std::size_t i = 0; i < each.size(); ++i) to[at + i] = static_cast<T>(each[i]);
    }
    call.set(0, narrowed(std::move(y), call.array(0).type()));
  });
  return true;
}

}  // namespace onnxpress::ops
