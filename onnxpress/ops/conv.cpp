// Convolutions: Conv and ONNX Runtime's fused forms; the table of the family.
#include "onnxpress/ops/causal_conv.h"
#include "onnxpress/ops/conv_integer.h"
#include "onnxpress/ops/conv_kernel.h"
#include "onnxpress/ops/conv_transpose.h"
#include "onnxpress/ops/deform_conv.h"
#include "onnxpress/ops/families.h"
#include "onnxpress/ops/scalar_activation.h"
#include "onnxpress/ops/widen.h"

namespace onnxpress::ops {

namespace {

void infer_conv(Inference& in) { infer_conv_of(in, 0, 1); }

bool evaluate_conv(Call& call) {
  const ElementType type = call.array(0).type();
  if (!is_float_like(type) || call.array(1).type() != type || (call.has(2) && call.array(2).type() != type))
    return call.fail_type();
  const Array x = widened(call.array(0)), w = widened(call.array(1)), bias = widened(call.array(2));
  const auto plan = plan_conv(call, x, w, call.has(2) ? &bias : nullptr);
  return plan && call.done(narrowed(convolved(*plan, x, w, call.has(2) ? &bias : nullptr), type));
}

// --- com.microsoft FusedConv: activation(Conv(X, W, B) + Z)

std::optional<ScalarActivation> activation_of(const Params& params) {
  const auto name = params.text("activation");
  if (!name || name->empty()) return ScalarActivation();
  auto activation = activation_named(*name);
  if (!activation) return std::nullopt;
  const auto given = params.reals("activation_params");
  if (given && !given->empty()) activation->alpha = (*given)[0];
  if (given && given->size() > 1) activation->beta = (*given)[1];
  return activation;
}

bool evaluate_fused_conv(Call& call) {
  const ElementType type = call.array(0).type();
  if (!is_float_like(type) || call.array(1).type() != type || (call.has(2) && call.array(2).type() != type))
    return call.fail_type();
  const Array x = widened(call.array(0)), w = widened(call.array(1)), bias = widened(call.array(2));
  const auto plan = plan_conv(call, x, w, call.has(2) ? &bias : nullptr);
  if (!plan) return false;
  const auto activation = activation_of(call.params);
  if (!activation) return call.fail("unknown activation");
  const Array add = widened(call.array(3));
  if (call.has(3) && (add.type() != x.type() || add.sizes() != plan->result_sizes()))
    return call.fail("operand Z has not the type and shape of the result");
  Array y = convolved(*plan, x, w, call.has(2) ? &bias : nullptr);
  dispatch(WideFloats(), y.type(), [&]<typename T>() {
    const auto to = y.mutable_data<T>();
    for (std::size_t i = 0; call.has(3) && i < to.size(); ++i) to[i] += add.data<T>()[i];
    activation->apply(to);
  });
  return call.done(narrowed(std::move(y), type));
}

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr OpDef kRows[] = {
    {.name = "Conv", .infer = infer_conv, .evaluate = evaluate_conv},
    {.name = "ConvInteger", .infer = infer_conv, .evaluate = evaluate_conv_integer},
    {.name = "QLinearConv", .infer = infer_qlinear_conv, .evaluate = evaluate_qlinear_conv},
    {.name = "ConvTranspose", .infer = infer_conv_transpose, .evaluate = evaluate_conv_transpose},
    {.name = "DeformConv", .infer = infer_conv, .evaluate = evaluate_deform_conv},
    {.name = "Col2Im", .infer = infer_col2im, .evaluate = evaluate_col2im},
    {.name = "CausalConvWithState", .infer = infer_causal_conv, .evaluate = evaluate_causal_conv},
    {.name = "FusedConv", .domain = kMicrosoft, .infer = infer_conv, .evaluate = evaluate_fused_conv},
    {.name = "QLinearConv", .domain = kMicrosoft, .infer = infer_qlinear_conv, .evaluate = evaluate_qlinear_conv},
};

}  // namespace

void infer_conv_of(Inference& in, std::size_t operand, std::size_t weights) {
  const Shape *x = in.shape(operand), *w = in.shape(weights);
  const std::size_t rank = x ? x->size() : w ? w->size() : 0;
  if (rank < 3 || (x && w && x->size() != w->size())) return;
  Shape shape(rank);
  if (w) shape[1] = (*w)[0];
  if (x) {
    shape[0] = (*x)[0];
    const std::span<const Dim> kernel = w ? std::span<const Dim>(*w).subspan(2) : std::span<const Dim>();
    const Shape spatial = conv_dims(in, std::span<const Dim>(*x).subspan(2), kernel);
    std::copy(spatial.begin(), spatial.end(), shape.begin() + 2);
  }
  if (x && w) in.dims.unify((*x)[1], in.dims.mul((*w)[1], Dim::size(in.params.integer_or("group", 1))));
  in.set_shape(std::move(shape));
}

Family conv() { return kRows; }

}  // namespace onnxpress::ops
