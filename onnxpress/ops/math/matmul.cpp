// Matrix products: MatMul, Gemm and the forms that ONNX Runtime fuses; the table of the family.
#include <cmath>
#include <numeric>

#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/core/weight_axes.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/linear_algebra.h"
#include "onnxpress/ops/kernels/matmul_plan.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/scalar_activation.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/math/einsum.h"
#include "onnxpress/ops/math/matmul_cost.h"
#include "onnxpress/ops/math/matmul_integer.h"
#include "onnxpress/ops/microsoft/matmul_nbits.h"

namespace onnxpress::ops {

namespace {

bool is_multipliable(ElementType type) {
  return is_float_like(type) || type == ElementType::kInt32 || type == ElementType::kInt64 ||
         type == ElementType::kUint32 || type == ElementType::kUint64;
}

// --- MatMul

void infer_matmul(Inference& in) {
  if (auto shape = matmul_shape(in, in.shape(0), in.shape(1))) in.set_shape(std::move(*shape));
}

bool evaluate_matmul(Call& call) {
  const Array &a = call.array(0), &b = call.array(1);
  if (a.type() != b.type() || !is_multipliable(a.type())) return call.fail_type();
  const auto plan = plan_matmul(a.sizes(), b.sizes());
  if (!plan) return call.fail("shapes " + shapes_text(a.sizes(), b.sizes()) + " cannot be multiplied");
  return call.done(narrowed(multiply(*plan, widened(a), widened(b)), a.type()));
}

// --- Gemm

void infer_gemm(Inference& in) {
  const Shape *a = in.shape(0), *b = in.shape(1);
  if (!require_rank(in, 0, 2) || !require_rank(in, 1, 2)) return;
  const bool transpose_a = in.params.flag("transA"), transpose_b = in.params.flag("transB");
  Shape result(2);
  if (a && a->size() == 2) result[0] = (*a)[transpose_a ? 1 : 0];
  if (b && b->size() == 2) result[1] = (*b)[transpose_b ? 0 : 1];
  if (a && b && a->size() == 2 && b->size() == 2) in.unify((*a)[transpose_a ? 0 : 1], (*b)[transpose_b ? 1 : 0]);
  in.set_shape(std::move(result));
}

// y = alpha * y + beta * c, with c broadcast to y's shape.
template <typename T>
bool combine(Call& call, Array& y, const Array& c, double alpha, double beta) {
  const auto scaled = [](T value, double factor) {
    return factor == 1 ? value : static_cast<T>(static_cast<Computed<T>>(factor) * value);
  };
  const auto out = y.mutable_data<T>();
  if (alpha != 1) {
    for (T& each : out) each = scaled(each, alpha);
  }
  if (c.type() == ElementType::kUndefined || beta == 0) return true;
  const Sizes *shapes[] = {&y.sizes(), &c.sizes()}, *c_shape[] = {&c.sizes()};
  if (c.type() != kTypeOf<T>) return call.fail_type();
  if (broadcast_sizes(shapes) != y.sizes())
    return call.fail("operand C cannot be broadcast to the product: " + shapes_text(c.sizes(), y.sizes()));
  const Walk walk(y.sizes(), c_shape);
  const T* from = c.data<T>().data();
  T* to = out.data();
  walk.for_each_row([&](const Sizes& at) {
    const T* row = from + at[0];
    const std::int64_t step = walk.strides[0].back(), length = walk.sizes.back();
    for (std::int64_t i = 0; i < length; ++i)
      to[i] = wrapped<T>([](auto p, auto q) { return p + q; }, to[i], scaled(row[i * step], beta));
    to += length;
  });
  return true;
}

std::optional<ScalarActivation> activation_of(const Params& params) {
  const auto name = params.text("activation");
  if (!name || name->empty()) return ScalarActivation();
  auto activation = activation_named(*name);
  if (!activation) return std::nullopt;
  activation->alpha = params.real_or("activation_alpha", activation->alpha);
  activation->beta = params.real_or("activation_beta", activation->beta);
  return activation;
}

bool evaluate_gemm(Call& call) {
  const Array &a = call.array(0), &b = call.array(1), &c = call.array(2);
  if (a.type() != b.type() || !is_multipliable(a.type())) return call.fail_type();
  if (a.rank() != 2 || b.rank() != 2) return call.fail("operands A and B must have two dimensions");
  const auto plan = plan_matmul(a.sizes(), b.sizes(), call.params.flag("transA"), call.params.flag("transB"));
  if (!plan) return call.fail("shapes " + shapes_text(a.sizes(), b.sizes()) + " cannot be multiplied");
  const auto activation = activation_of(call.params);
  if (!activation) return call.fail("unknown activation");
  Array y = multiply(*plan, widened(a), widened(b));
  const double alpha = call.params.real_or("alpha", 1), beta = call.params.real_or("beta", 1);
  using Types = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kInt32, ElementType::kInt64,
                         ElementType::kUint32, ElementType::kUint64>;
  if (!dispatch(Types(), y.type(), [&]<typename T>() { return combine<T>(call, y, widened(c), alpha, beta); }))
    return false;
  dispatch(WideFloats(), y.type(), [&]<typename T>() { activation->apply(y.mutable_data<T>()); });
  return call.done(narrowed(std::move(y), a.type()));
}

// --- com.microsoft FusedMatMul

// transBatchA moves the first axis before the last: [d0, d1, ..., k] becomes [d1, ..., d0, k].
std::vector<std::size_t> first_axis_last_but_one(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (rank > 2) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  return order;
}

void infer_fused_matmul(Inference& in) {
  const auto operand = [&](std::size_t i, std::string_view flag) -> std::optional<Shape> {
    const Shape* shape = in.shape(i);
    if (!shape) return std::nullopt;
    if (!in.params.flag(flag)) return *shape;
    Shape moved;
    for (const std::size_t axis : first_axis_last_but_one(shape->size())) moved.push_back((*shape)[axis]);
    return moved;
  };
  const auto a = operand(0, "transBatchA"), b = operand(1, "transBatchB");
  if (!a || !b) return;
  if (auto shape = matmul_shape(in, &*a, &*b, in.params.flag("transA"), in.params.flag("transB")))
    in.set_shape(std::move(*shape));
}

bool evaluate_fused_matmul(Call& call) {
  const ElementType type = call.array(0).type();
  if (type != call.array(1).type() || !is_float_like(type)) return call.fail_type();
  const auto operand = [&](std::size_t i, std::string_view flag) {
    const Array wide = widened(call.array(i));
    return call.params.flag(flag) ? permuted(wide, first_axis_last_but_one(wide.rank())) : wide;
  };
  const Array a = operand(0, "transBatchA"), b = operand(1, "transBatchB");
  const auto plan = plan_matmul(a.sizes(), b.sizes(), call.params.flag("transA"), call.params.flag("transB"));
  if (!plan) return call.fail("shapes " + shapes_text(a.sizes(), b.sizes()) + " cannot be multiplied");
  Array y = multiply(*plan, a, b);
  const double alpha = call.params.real_or("alpha", 1);
  const bool known =
      dispatch(WideFloats(), y.type(), [&]<typename T>() { return combine<T>(call, y, Array(), alpha, 0); });
  return known && call.done(narrowed(std::move(y), type));
}

constexpr OpDef kMatmulRows[] = {
    {.name = "MatMul",
     .traits = kScoresClasses,
     .infer = infer_matmul,
     .evaluate = evaluate_matmul,
     .cost = cost_matmul,
     .weights = {0b11, matmul_axes},
     .integer_form = "MatMulInteger"},
    {.name = "Gemm",
     .traits = kScoresClasses,
     .infer = infer_gemm,
     .evaluate = evaluate_gemm,
     .cost = cost_gemm,
     .weights = {0b11, gemm_axes},
     .integer_form = "MatMulInteger"},
    {.name = "FusedMatMul",
     .domain = "com.microsoft",
     .infer = infer_fused_matmul,
     .evaluate = evaluate_fused_matmul,
     .cost = cost_matmul,
     .weights = {0b11}},
    {.name = "FusedGemm",
     .domain = "com.microsoft",
     .infer = infer_gemm,
     .evaluate = evaluate_gemm,
     .cost = cost_gemm,
     .weights = {0b11, gemm_axes}},
    {.name = "MatMulInteger",
     .traits = kMultipliesCodes,
     .infer = infer_matmul_integer,
     .evaluate = evaluate_matmul_integer,
     .cost = cost_matmul},
    {.name = "QLinearMatMul",
     .traits = kMultipliesCodes,
     .infer = infer_qlinear_matmul,
     .evaluate = evaluate_qlinear_matmul,
     .cost = cost_matmul},
    {.name = "MatMulIntegerToFloat",
     .domain = "com.microsoft",
     .traits = kMultipliesCodes,
     .infer = infer_matmul,
     .evaluate = evaluate_matmul_integer_to_float,
     .cost = cost_matmul},
    {.name = "DynamicQuantizeMatMul",
     .domain = "com.microsoft",
     .traits = kMultipliesCodes,
     .infer = infer_matmul,
     .evaluate = evaluate_dynamic_quantize_matmul,
     .cost = cost_matmul},
    {.name = "QGemm",
     .domain = "com.microsoft",
     .traits = kMultipliesCodes,
     .infer = infer_qgemm,
     .evaluate = evaluate_qgemm,
     .cost = cost_gemm},
    {.name = "MatMulNBits",
     .domain = "com.microsoft",
     .traits = kMultipliesCodes,
     .infer = infer_matmul_nbits,
     .evaluate = evaluate_matmul_nbits,
     .cost = cost_matmul_nbits},
    {.name = "GatherBlockQuantized",
     .domain = "com.microsoft",
     .infer = infer_gather_block_quantized,
     .evaluate = evaluate_gather_block_quantized,
     .cost = cost_gather},
    {.name = "Einsum", .infer = infer_einsum, .evaluate = evaluate_einsum, .cost = cost_einsum, .weights = {0b111}},
    {.name = "Det", .infer = infer_det, .evaluate = evaluate_det, .cost = cost_det},
    {.name = "Inverse",
     .domain = "com.microsoft",
     .infer = infer_same_shape,
     .evaluate = evaluate_inverse,
     .cost = cost_inverse},
};

}  // namespace

Family matmul() { return kMatmulRows; }

}  // namespace onnxpress::ops
