// Convolutions: Conv and ONNX Runtime's fused forms; the table of the family.
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/core/weight_axes.h"
#include "onnxpress/ops/kernels/channels.h"
#include "onnxpress/ops/kernels/conv_kernel.h"
#include "onnxpress/ops/kernels/scalar_activation.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/nn/causal_conv.h"
#include "onnxpress/ops/nn/conv_cost.h"
#include "onnxpress/ops/nn/conv_integer.h"
#include "onnxpress/ops/nn/conv_transpose.h"
#include "onnxpress/ops/nn/deform_conv.h"

namespace onnxpress::ops {

namespace {

void infer_conv(Inference& in) { infer_conv_of(in, 0, 1); }

// --- Conv, and the forms of com.microsoft: activation(Conv(X, W, B) + Z), with the channels last in NhwcConv

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

bool evaluate_conv(Call& call) {
  const ElementType type = call.array(0).type();
  if (!is_float_like(type) || call.array(1).type() != type || (call.has(2) && call.array(2).type() != type))
    return call.fail_type();
  const bool last = channels_are_last(call.params);
  if (last && call.array(0).rank() < 3) return call.fail("X must have a rank of at least 3");
  const Array x = widened(last ? channels_first(call.array(0)) : call.array(0));
  const Array w = widened(call.array(1)), bias = widened(call.array(2));
  const auto plan = plan_conv(call, x, w, call.has(2) ? &bias : nullptr);
  if (!plan) return false;
  const auto activation = activation_of(call.params);
  if (!activation) return call.fail("unknown activation");
  Array y = convolved(*plan, x, w, call.has(2) ? &bias : nullptr);
  if (last) y = channels_last(y);
  const Array add = widened(call.array(3));
  if (call.has(3) && (add.type() != y.type() || add.sizes() != y.sizes()))
    return call.fail("operand Z must have the type and shape of the result");
  if (call.has(3) || activation->kind != ScalarActivation::Kind::kNone) {
    dispatch(WideFloats(), y.type(), [&]<typename T>() {
      const auto to = y.mutable_data<T>();
      for (std::size_t i = 0; call.has(3) && i < to.size(); ++i) to[i] += add.data<T>()[i];
      activation->apply(to);
    });
  }
  return call.done(narrowed(std::move(y), type));
}

constexpr OpDef kConvRows[] = {
    {.name = "Conv",
     .infer = infer_conv,
     .evaluate = evaluate_conv,
     .cost = cost_conv,
     .weights = {0b10, conv_axes},
     .integer_form = "ConvInteger"},
    {.name = "ConvInteger",
     .traits = kMultipliesCodes,
     .infer = infer_conv,
     .evaluate = evaluate_conv_integer,
     .cost = cost_conv},
    {.name = "QLinearConv",
     .traits = kMultipliesCodes,
     .infer = infer_qlinear_conv,
     .evaluate = evaluate_qlinear_conv,
     .cost = cost_qlinear_conv},
    {.name = "ConvTranspose",
     .infer = infer_conv_transpose,
     .evaluate = evaluate_conv_transpose,
     .cost = cost_conv_transpose,
     .weights = {0b10, conv_transpose_axes}},
    {.name = "DeformConv",
     .infer = infer_conv,
     .evaluate = evaluate_deform_conv,
     .cost = cost_deform_conv,
     .weights = {0b10, conv_axes}},
    {.name = "Col2Im", .infer = infer_col2im, .evaluate = evaluate_col2im, .cost = cost_times_operand<1>},
    {.name = "CausalConvWithState",
     .infer = infer_causal_conv,
     .evaluate = evaluate_causal_conv,
     .cost = cost_causal_conv,
     .weights = {0b10, conv_axes}},
    {.name = "FusedConv",
     .domain = "com.microsoft",
     .infer = infer_conv,
     .evaluate = evaluate_conv,
     .cost = cost_conv,
     .weights = {0b10, conv_axes}},
    {.name = "NhwcConv",
     .domain = "com.microsoft",
     .infer = infer_conv,
     .evaluate = evaluate_conv,
     .cost = cost_conv,
     .weights = {0b10, conv_axes}},
    {.name = "NhwcFusedConv",
     .domain = "com.microsoft",
     .infer = infer_conv,
     .evaluate = evaluate_conv,
     .cost = cost_conv,
     .weights = {0b10, conv_axes}},
    {.name = "QLinearConv",
     .domain = "com.microsoft",
     .traits = kMultipliesCodes,
     .infer = infer_qlinear_conv,
     .evaluate = evaluate_qlinear_conv,
     .cost = cost_qlinear_conv},
};

}  // namespace

void infer_conv_of(Inference& in, std::size_t operand, std::size_t weights) {
  const Shape *x = in.shape(operand), *w = in.shape(weights);
  const std::size_t rank = x ? x->size() : w ? w->size() : 0;
  if (!require_rank_at_least(in, operand, 3) || !require_rank_at_least(in, weights, 3)) return;
  if (rank == 0 || (x && !require_rank(in, weights, x->size())) || !require_windows(in, rank - 2, x && w)) return;
  if (!require_one_padding(in)) return;
  const bool last = channels_are_last(in.params);
  const std::size_t channels = last ? rank - 1 : 1, first = last ? 1 : 2;  // axes
  Shape shape(rank);
  if (w) shape[channels] = (*w)[0];
  if (x) {
    shape[0] = (*x)[0];
    const std::span<const Dim> kernel = w ? std::span<const Dim>(*w).subspan(2) : std::span<const Dim>();
    const Shape spatial = conv_dims(in, std::span<const Dim>(*x).subspan(first, rank - 2), kernel);
    std::copy(spatial.begin(), spatial.end(), shape.begin() + static_cast<std::ptrdiff_t>(first));
  }
  if (x && w) in.unify((*x)[channels], in.dims.mul((*w)[1], Dim::size(in.params.integer_or("group", 1))));
  in.set_shape(std::move(shape));
}

Family conv() { return kConvRows; }

}  // namespace onnxpress::ops
