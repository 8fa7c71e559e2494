// Softmax along an axis: exp(x - max) / sum(exp(x - max)).
#include "onnxpress/ops/math/softmax.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/fast_math.h"

namespace onnxpress::ops {

namespace {

// exp(x - top), in double: rounding x - top to float would cause an error of as many units in the last place as its
// magnitude.
template <typename T>
double power_of(T x, T top) {
  const double apart = static_cast<double>(x) - static_cast<double>(top);
  if constexpr (std::is_same_v<T, float>) return precise_exponential(apart);
  return std::exp(apart);
}

// Computes one row of neighbouring elements; `powers` has room for as many.
template <typename T>
void softmax_row(const T* from, std::size_t length, SoftmaxKind kind, T* to, double* powers) {
  const T* largest = std::max_element(from, from + length);
  if (kind == SoftmaxKind::kHardmax) {
    std::fill_n(to, length, T{0});
    to[largest - from] = 1;
    return;
  }
  const T top = *largest;
  for (std::size_t i = 0; i < length; ++i) powers[i] = power_of(from[i], top);
  double sum = 0;
  for (std::size_t i = 0; i < length; ++i) sum += powers[i];
  if (kind == SoftmaxKind::kLogSoftmax) {
    const double shift = static_cast<double>(top) + std::log(sum);
    for (std::size_t i = 0; i < length; ++i) to[i] = static_cast<T>(static_cast<double>(from[i]) - shift);
  } else {
    const double share = 1 / sum;
    for (std::size_t i = 0; i < length; ++i) to[i] = static_cast<T>(powers[i] * share);
  }
}

// Computes `width` columns side by side, at most kPiece, each of `length` elements that are `inner` apart: all in step,
// so that the loops over columns vectorize. `powers` has room for all of them.
constexpr std::size_t kPiece = 64;
template <typename T>
void softmax_piece(const T* from, std::size_t length, std::size_t inner, std::size_t width, SoftmaxKind kind, T* to,
                   double* powers) {
  T top[kPiece];
  std::size_t place[kPiece] = {};  // of the first maximum
  double sum[kPiece] = {};
  std::copy_n(from, width, top);
  for (std::size_t i = 1; i < length; ++i) {
    const T* row = from + i * inner;
    if (kind == SoftmaxKind::kHardmax) {
      for (std::size_t k = 0; k < width; ++k) place[k] = top[k] < row[k] ? i : place[k];
    }
    for (std::size_t k = 0; k < width; ++k) top[k] = top[k] < row[k] ? row[k] : top[k];
  }
  if (kind == SoftmaxKind::kHardmax) {
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t k = 0; k < width; ++k) to[i * inner + k] = place[k] == i ? T{1} : T{0};
    }
    return;
  }
  for (std::size_t i = 0; i < length; ++i) {
    const T* row = from + i * inner;
    double* line = powers + i * width;
    for (std::size_t k = 0; k < width; ++k) line[k] = power_of(row[k], top[k]);
    for (std::size_t k = 0; k < width; ++k) sum[k] += line[k];
  }
  double last[kPiece];  // the factor, or for LogSoftmax the number to subtract
  for (std::size_t k = 0; k < width; ++k)
    last[k] = kind == SoftmaxKind::kLogSoftmax ? static_cast<double>(top[k]) + std::log(sum[k]) : 1 / sum[k];
  for (std::size_t i = 0; i < length; ++i) {
    const T* row = from + i * inner;
    const double* line = powers + i * width;
    T* out = to + i * inner;
    if (kind == SoftmaxKind::kLogSoftmax) {
      for (std::size_t k = 0; k < width; ++k) out[k] = static_cast<T>(static_cast<double>(row[k]) - last[k]);
    } else {
      for (std::size_t k = 0; k < width; ++k) out[k] = static_cast<T>(line[k] * last[k]);
    }
  }
}

template <typename T>
void softmax_columns(const T* from, std::size_t length, std::size_t inner, SoftmaxKind kind, T* to, double* powers) {
  for (std::size_t begin = 0; begin < inner; begin += kPiece)
    softmax_piece(from + begin, length, inner, std::min(inner - begin, kPiece), kind, to + begin, powers);
}

bool evaluate_over(Call& call, const Array& x, bool flat, SoftmaxKind kind) {
  const std::int64_t axis = call.params.integer_or("axis", flat ? 1 : -1);
  const auto rank = static_cast<std::int64_t>(x.rank());
  // In the flat form the axis may also be one past the last. A scalar is a row of one element.
  const bool at_end = flat && axis == rank;
  const auto begin = at_end ? x.rank() : normal_axis(axis, std::max<std::size_t>(x.rank(), 1));
  if (!begin) return call.fail("'axis' is out of range");
  const std::size_t end = flat ? x.rank() : *begin + 1;
  const AxisLayout layout(x.sizes(), *begin, end);
  return evaluate_wide(call, x, [&]<typename T>(const Array& wide) { return softmax(wide, layout, kind); });
}

template <typename T>
Array softmax_as(const Array& x, const AxisLayout& layout, SoftmaxKind kind) {
  Array result = Array::make<T>(x.sizes());
  if (x.count() == 0) return result;
  const T* from = x.data<T>().data();
  T* to = result.mutable_data<T>().data();
  const std::size_t size = layout.length * layout.inner;
  const std::size_t room = layout.length * std::min(layout.inner, kPiece);
  require_scratch(room, sizeof(double));
  for_pieces(
      layout.outer,
      [&](std::size_t begin, std::size_t end) {
        std::vector<double> powers(kind == SoftmaxKind::kHardmax ? 0 : room);
        for (std::size_t i = begin; i < end; ++i) {
          if (layout.inner == 1) {
            softmax_row(from + i * size, size, kind, to + i * size, powers.data());
          } else {
            softmax_columns(from + i * size, layout.length, layout.inner, kind, to + i * size, powers.data());
          }
        }
      },
      size);
  return result;
}

}  // namespace

Array softmax(const Array& x, const AxisLayout& layout, SoftmaxKind kind) {
  return x.type() == ElementType::kDouble ? softmax_as<double>(x, layout, kind) : softmax_as<float>(x, layout, kind);
}

bool evaluate_softmax(Call& call) { return evaluate_over(call, call.array(0), false, SoftmaxKind::kSoftmax); }
bool evaluate_flat_softmax(Call& call) { return evaluate_over(call, call.array(0), true, SoftmaxKind::kSoftmax); }
bool evaluate_log_softmax(Call& call) { return evaluate_over(call, call.array(0), false, SoftmaxKind::kLogSoftmax); }
bool evaluate_flat_log_softmax(Call& call) {
  return evaluate_over(call, call.array(0), true, SoftmaxKind::kLogSoftmax);
}
bool evaluate_hardmax(Call& call) { return evaluate_over(call, call.array(0), false, SoftmaxKind::kHardmax); }
bool evaluate_flat_hardmax(Call& call) { return evaluate_over(call, call.array(0), true, SoftmaxKind::kHardmax); }

bool evaluate_bias_softmax(Call& call) {
  const ElementType type = call.array(0).type();
  std::optional<Array> sum;
  dispatch(FloatTypes(), type, [&]<typename T>() {
    sum = combined<T, T>(call, call.array(0), call.array(1), [](auto a, auto b) { return a + b; });
  });
  if (!sum) return call.why().empty() ? call.fail_type() : false;
  if (sum->sizes() != call.array(0).sizes()) return call.fail("the bias is larger than the data");
  return evaluate_over(call, *sum, true, SoftmaxKind::kSoftmax);
}

void infer_softmax(Inference& in) {
  infer_same_shape(in);
  if (in.result_count() > 0) in.result().range = {0, 1, in.operand(0).range.finite};
}

void infer_log_softmax(Inference& in) {
  infer_same_shape(in);
  if (in.result_count() > 0) in.result().range.high = 0;
}

namespace {

bool require_axis(Inference& in) {
  const Shape* x = in.shape(0);
  return !x || (require_rank_at_least(in, 0, 1) && required_axis(in, in.params.integer_or("axis", -1), x->size()));
}

}  // namespace

void infer_softmax_along_axis(Inference& in) {
  if (require_axis(in)) infer_softmax(in);
}

void infer_log_softmax_along_axis(Inference& in) {
  if (require_axis(in)) infer_log_softmax(in);
}

}  // namespace onnxpress::ops
