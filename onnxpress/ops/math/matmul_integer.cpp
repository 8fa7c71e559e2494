// Integer products, and their scales. Sums are exact; scales are applied in float as ONNX Runtime does.
#include "onnxpress/ops/math/matmul_integer.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/ops/kernels/matmul_plan.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

// The product of two operands with their zero points; nullopt, after call.fail, when they cannot be multiplied.
std::optional<Array> product(Call& call, const Array& a, const Array& b, const Array& a_zero, const Array& b_zero,
                             bool transpose_a = false, bool transpose_b = false) {
  if (!is_byte(a.type()) || !is_byte(b.type())) {
    call.fail_type();
    return std::nullopt;
  }
  const auto plan = plan_matmul(a.sizes(), b.sizes(), transpose_a, transpose_b);
  if (!plan) {
    call.fail("shapes " + shapes_text(a.sizes(), b.sizes()) + " cannot be multiplied");
    return std::nullopt;
  }
  auto result = multiply_integers(*plan, a, b, a_zero, b_zero);
  if (!result) call.fail("a zero point has neither one element nor one per row or column");
  return result;
}

// One scale per row (a) and per column (b) of each product, or a single one.
struct Scales {
  std::vector<float> rows, columns;
  std::size_t row_count = 1, column_count = 1;

  float at(std::size_t i) const {
    const std::size_t column = i % column_count, row = i / column_count % row_count;
    return (rows.size() == 1 ? rows[0] : rows[row]) * (columns.size() == 1 ? columns[0] : columns[column]);
  }
};

std::optional<Scales> scales_for(Call& call, const Array& a, const Array& a_scale, const Array& b, const Array& b_scale,
                                 bool transpose_a = false, bool transpose_b = false) {
  Scales scales{.rows = scales_of(a_scale), .columns = scales_of(b_scale)};
  if (a.rank() >= 2) scales.row_count = static_cast<std::size_t>(a.size(a.rank() - (transpose_a ? 1 : 2)));
  if (b.rank() >= 2) scales.column_count = static_cast<std::size_t>(b.size(b.rank() - (transpose_b ? 2 : 1)));
  const bool fits = (scales.rows.size() == 1 || scales.rows.size() == scales.row_count) &&
                    (scales.columns.size() == 1 || scales.columns.size() == scales.column_count);
  if (fits && !scales.rows.empty() && !scales.columns.empty()) return scales;
  call.fail("a scale has neither one element nor one per row or column");
  return std::nullopt;
}

template <typename T>
Array quantized_result(const Array& sums, const Scales& scales, float y_scale, std::int32_t zero) {
  Array result = Array::make<T>(sums.sizes());
  const auto from = sums.data<std::int32_t>();
  const auto to = result.mutable_data<T>();
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] = requantized<T>(static_cast<float>(from[i]) * (scales.at(i) / y_scale), zero);
  return result;
}

bool quantize_sums(Call& call, const Array& sums, const Scales& scales, const Array& y_scale, const Array& y_zero) {
  const auto scale = y_scale.number(), zero = y_zero.number();
  const bool has_zero = y_zero.type() != ElementType::kUndefined;
  if (!scale || (has_zero && !zero)) return call.fail("the result's scale or zero point is not a single number");
  const auto as_float = static_cast<float>(*scale);
  const auto whole = static_cast<std::int32_t>(zero.value_or(0));
  if (y_zero.type() == ElementType::kInt8)
    return call.done(quantized_result<std::int8_t>(sums, scales, as_float, whole));
  if (has_zero && y_zero.type() != ElementType::kUint8) return call.fail_type();
  return call.done(quantized_result<std::uint8_t>(sums, scales, as_float, whole));
}

// sums * scales + bias (one per column), as floats.
bool scale_sums(Call& call, const Array& sums, const Scales& scales, const Array& bias, ElementType type) {
  Array result = Array::make<float>(sums.sizes());
  const auto from = sums.data<std::int32_t>();
  const auto to = result.mutable_data<float>();
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]) * scales.at(i);
  if (bias.type() != ElementType::kUndefined) {
    const std::vector<float> each = scales_of(bias);
    if (each.empty() || each.size() != scales.column_count) return call.fail("bias must have one element per column");
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += each[i % each.size()];
  }
  return call.done(narrowed(std::move(result), type));
}

}  // namespace

std::vector<float> scales_of(const Array& array) {
  const Array wide = widened(array);
  if (wide.type() != ElementType::kFloat) return {};
  return {wide.data<float>().begin(), wide.data<float>().end()};
}

DynamicallyQuantized quantized_dynamically(const Array& array) {
  const auto from = array.data<float>();
  float low = 0, high = 0;
  for (const float each : from) {
    low = std::min(low, each);
    high = std::max(high, each);
  }
  DynamicallyQuantized result;
  result.scale = high == low ? 1.0F : (high - low) / 255.0F;
  result.zero = requantized<std::uint8_t>(-low / result.scale, 0);
  result.values = Array::make<std::uint8_t>(array.sizes());
  const auto to = result.values.mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = requantized<std::uint8_t>(from[i] / result.scale, result.zero);
  return result;
}

void infer_matmul_integer(Inference& in) {
  if (auto shape = matmul_shape(in, in.shape(0), in.shape(1))) in.set_shape(std::move(*shape));
}

bool evaluate_matmul_integer(Call& call) {
  auto sums = product(call, call.array(0), call.array(1), call.array(2), call.array(3));
  return sums && call.done(std::move(*sums));
}

void infer_qlinear_matmul(Inference& in) {
  if (auto shape = matmul_shape(in, in.shape(0), in.shape(3))) in.set_shape(std::move(*shape));
}

bool evaluate_qlinear_matmul(Call& call) {
  const Array &a = call.array(0), &b = call.array(3);
  const auto sums = product(call, a, b, call.array(2), call.array(5));
  if (!sums) return false;
  const auto scales = scales_for(call, a, call.array(1), b, call.array(4));
  return scales && quantize_sums(call, *sums, *scales, call.array(6), call.array(7));
}

bool evaluate_matmul_integer_to_float(Call& call) {
  const Array &a = call.array(0), &b = call.array(1);
  const auto sums = product(call, a, b, call.array(4), call.array(5));
  if (!sums) return false;
  const auto scales = scales_for(call, a, call.array(2), b, call.array(3));
  return scales && scale_sums(call, *sums, *scales, call.array(6), call.array(2).type());
}

bool evaluate_dynamic_quantize_matmul(Call& call) {
  const Array &a = call.array(0), &b = call.array(1);
  if (a.type() != ElementType::kFloat) return call.fail_type();
  const DynamicallyQuantized left = quantized_dynamically(a);
  const auto sums = product(call, left.values, b, Array::scalar(left.zero), call.array(3));
  if (!sums) return false;
  const auto scales = scales_for(call, a, Array::scalar(left.scale), b, call.array(2));
  return scales && scale_sums(call, *sums, *scales, call.array(4), ElementType::kFloat);
}

void infer_qgemm(Inference& in) {
  const Shape *a = in.shape(0), *b = in.shape(3);
  if (!in.has(8)) {
    in.set_element(0, in.has(7) ? ElementType::kUint8 : ElementType::kFloat);
  } else if (in.operand(8).element != ElementType::kUndefined) {
    in.set_element(0, in.operand(8).element);
  }
  if (auto shape = matmul_shape(in, a, b, in.params.flag("transA"), in.params.flag("transB")))
    in.set_shape(std::move(*shape));
}

bool evaluate_qgemm(Call& call) {
  const Array &a = call.array(0), &b = call.array(3), &c = call.array(6);
  const bool transpose_a = call.params.flag("transA"), transpose_b = call.params.flag("transB");
  if (a.rank() != 2 || b.rank() != 2) return call.fail("operands A and B must have two dimensions");
  auto sums = product(call, a, b, call.array(2), call.array(5), transpose_a, transpose_b);
  if (!sums) return false;
  if (c.type() == ElementType::kInt32 && c.count() > 0) {
    // C is [M,N], [N], [M,1], or one number: each axis has its full size or size 1.
    const auto columns = static_cast<std::size_t>(sums->size(1)), rows = static_cast<std::size_t>(sums->size(0));
    const std::size_t c_columns = c.rank() > 0 ? static_cast<std::size_t>(c.size(c.rank() - 1)) : 1;
    const std::size_t c_rows = c.count() / c_columns;
    if ((c_columns != 1 && c_columns != columns) || (c_rows != 1 && c_rows != rows))
      return call.fail("operand C cannot be broadcast to the product: " + shapes_text(c.sizes(), sums->sizes()));
    const auto add = c.data<std::int32_t>();
    const auto to = sums->mutable_data<std::int32_t>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::size_t row = c_rows == 1 ? 0 : i / columns, column = c_columns == 1 ? 0 : i % columns;
      to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[i]) +
                                        static_cast<std::uint32_t>(add[row * c_columns + column]));
    }
  } else if (c.type() != ElementType::kUndefined) {
    return call.fail_type();
  }
  auto scales = scales_for(call, a, call.array(1), b, call.array(4), transpose_a, transpose_b);
  if (!scales) return false;
  for (float& each : scales->rows) each *= static_cast<float>(call.params.real_or("alpha", 1));
  if (!call.has(7)) return scale_sums(call, *sums, *scales, Array(), ElementType::kFloat);
  return quantize_sums(call, *sums, *scales, call.array(7), call.array(8));
}

}  // namespace onnxpress::ops
