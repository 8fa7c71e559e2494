// Activation functions: Relu, Sigmoid, Gelu, Softmax, ...
#include <cmath>

#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/in_place.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/fast_math.h"
#include "onnxpress/ops/kernels/rounded_math.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/math/gelu.h"
#include "onnxpress/ops/math/real_function.h"
#include "onnxpress/ops/math/softmax.h"

namespace onnxpress::ops {

namespace {

struct Sigmoid {
  template <typename T>
  T operator()(T x) const {
    return logistic_function(x);
  }
};
// log(1 + exp(x)) without overflow; floats are off by at most 2.7 units in the last place.
struct Softplus {
  template <typename T>
  T operator()(T x) const {
    return logarithm_above_one(exponential(-std::abs(x))) + (x < 0 ? T{0} : x);
  }
};

bool evaluate_relu(Call& call) {
  return evaluate_unary<NumberTypes>(call, []<typename T>(T x) -> T { return x < T{0} ? T{0} : x; });
}

bool evaluate_leaky_relu(Call& call) {
  const double alpha = call.params.real_or("alpha", 0.01);
  return evaluate_real(call, call.array(0), [alpha]<typename T>(T x) { return x < 0 ? static_cast<T>(alpha) * x : x; });
}

bool evaluate_thresholded_relu(Call& call) {
  const double alpha = call.params.real_or("alpha", 1);
  return evaluate_real(call, call.array(0), [alpha]<typename T>(T x) { return x > static_cast<T>(alpha) ? x : T{0}; });
}

bool evaluate_prelu_with(Call& call, const Array& slope) {
  const Array& x = call.array(0);
  std::optional<Array> result;
  dispatch(NumberTypes(), x.type(), [&]<typename T>() {
    result = combined<T, T>(call, x, slope, []<typename U>(U a, U s) -> U {
      return a < U{0} ? wrapped<U>([](auto p, auto q) { return p * q; }, a, s) : a;
    });
  });
  if (!result) return call.why().empty() ? call.fail_type() : false;
  if (result->sizes() != x.sizes()) return call.fail("the slope is larger than the operand");
  return call.done(std::move(*result));
}

bool evaluate_prelu(Call& call) { return evaluate_prelu_with(call, call.array(1)); }

// Before opset 7 a slope with one axis applies to the channels (axis 1).
bool evaluate_old_prelu(Call& call) {
  const Array &x = call.array(0), &slope = call.array(1);
  if (slope.rank() != 1 || slope.count() == 1 || x.rank() < 2) return evaluate_prelu(call);
  Sizes sizes(x.rank() - 1, 1);
  sizes[0] = slope.size(0);
  return evaluate_prelu_with(call, slope.reshaped(sizes));
}

bool evaluate_elu(Call& call) {
  const double alpha = call.params.real_or("alpha", 1);
  return evaluate_real(call, call.array(0),
                       [alpha]<typename T>(T x) { return x < 0 ? static_cast<T>(alpha) * rounded_expm1(x) : x; });
}

bool evaluate_celu(Call& call) {
  const double alpha = call.params.real_or("alpha", 1);
  return evaluate_real(call, call.array(0), [alpha]<typename T>(T x) {
    const T a = static_cast<T>(alpha);
    return std::max(x, T{0}) + std::min(a * rounded_expm1(x / a), T{0});
  });
}

bool evaluate_selu(Call& call) {
  const double alpha = call.params.real_or("alpha", 1.6732), gamma = call.params.real_or("gamma", 1.0507);
  return evaluate_real(call, call.array(0), [=]<typename T>(T x) {
    return static_cast<T>(gamma) * (x > 0 ? x : static_cast<T>(alpha) * rounded_expm1(x));
  });
}

bool evaluate_hard_sigmoid(Call& call) {
  const double alpha = call.params.real_or("alpha", 0.2), beta = call.params.real_or("beta", 0.5);
  return evaluate_real(call, call.array(0), [=]<typename T>(T x) {
    return std::max(std::min(static_cast<T>(alpha) * x + static_cast<T>(beta), T{1}), T{0});
  });
}

bool evaluate_shrink(Call& call) {
  const double bias = call.params.real_or("bias", 0), limit = call.params.real_or("lambd", 0.5);
  return evaluate_real(call, call.array(0), [=]<typename T>(T x) {
    if (x < static_cast<T>(-limit)) return x + static_cast<T>(bias);
    return x > static_cast<T>(limit) ? x - static_cast<T>(bias) : T{0};
  });
}

bool evaluate_swish(Call& call) {
  const double alpha = call.params.real_or("alpha", 1);
  return evaluate_real(call, call.array(0),
                       [alpha]<typename T>(T x) { return x * Sigmoid()(static_cast<T>(alpha) * x); });
}

// Swish of the gate times the other operand, without broadcasting.
bool evaluate_swiglu(Call& call) {
  const Array &gate = call.array(0), &linear = call.array(1);
  if (gate.type() != linear.type() || gate.sizes() != linear.sizes())
    return call.fail("the operands do not have the same type and shape");
  if (!is_float_like(gate.type())) return call.fail_type();
  const Array a = widened(gate), b = widened(linear);
  const double alpha = call.params.real_or("alpha", 1);
  Array y = Array::make(a.type(), a.sizes());
  dispatch(WideFloats(), y.type(), [&]<typename T>() {
    const auto to = y.mutable_data<T>();
    const auto from = a.data<T>(), factors = b.data<T>();
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = from[i] * Sigmoid()(static_cast<T>(alpha) * from[i]) * factors[i];
  });
  return call.done(narrowed(std::move(y), gate.type()));
}

struct HardSwish {
  template <typename T>
  T operator()(T x) const {
    return x * std::max(std::min(x / 6 + T{0.5}, T{1}), T{0});
  }
};
struct Mish {
  template <typename T>
  T operator()(T x) const {
    return x * hyperbolic_tangent(Softplus()(x));
  }
};
struct Softsign {
  template <typename T>
  T operator()(T x) const {
    return x / (1 + std::abs(x));
  }
};

// --- Inference

void infer_plain(Inference& in) {
  infer_same_shape(in);
  if (in.operand(0).is_splat && in.result_count() > 0) in.result().is_splat = true;
}

void infer_relu(Inference& in) {
  infer_plain(in);
  const Range& x = in.operand(0).range;
  if (in.result_count() > 0) in.result().range = {std::max(x.low, 0.0), std::max(x.high, 0.0), x.finite};
}

void infer_above_zero(Inference& in) { infer_bounded(in, 0, std::numeric_limits<double>::infinity()); }
void infer_within_one(Inference& in) { infer_bounded(in, -1, 1); }
void infer_share(Inference& in) { infer_bounded(in, 0, 1); }
// Equal elements may become different ones, because the slope may have several elements.
void infer_shape_only(Inference& in) { infer_same_shape(in); }

// Both operands must have the shape of the result.
void infer_swiglu(Inference& in) {
  const Shape *a = in.shape(0), *b = in.shape(1);
  if (!a && !b) return;
  if (a && b && a->size() == b->size()) {
    for (std::size_t axis = 0; axis < a->size(); ++axis) in.unify((*a)[axis], (*b)[axis]);
  }
  in.set_shape(a ? *a : *b);
}

constexpr OpDef kActivationRows[] = {
    {.name = "Celu", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_celu},
    {.name = "Elu", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_elu},
    {.name = "Gelu", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_gelu},
    {.name = "HardSigmoid", .traits = kElementwise, .infer = infer_share, .evaluate = evaluate_hard_sigmoid},
    {.name = "HardSwish", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_function<HardSwish>},
    {.name = "Hardmax",
     .traits = kOverwrites,
     .infer = infer_softmax,
     .evaluate = evaluate_flat_hardmax,
     .cost = cost_times_operand<1>},
    {.name = "Hardmax",
     .since = 11,
     .traits = kOverwrites,
     .infer = infer_softmax_along_axis,
     .evaluate = evaluate_flat_hardmax,
     .cost = cost_times_operand<1>},
    {.name = "Hardmax",
     .since = 13,
     .traits = kOverwrites,
     .infer = infer_softmax_along_axis,
     .evaluate = evaluate_hardmax,
     .cost = cost_times_operand<1>},
    {.name = "LeakyRelu", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_leaky_relu},
    {.name = "LogSoftmax",
     .traits = kScoresClasses | kOverwrites,
     .infer = infer_log_softmax,
     .evaluate = evaluate_flat_log_softmax,
     .cost = cost_times_operand<5>},
    {.name = "LogSoftmax",
     .since = 11,
     .traits = kScoresClasses | kOverwrites,
     .infer = infer_log_softmax_along_axis,
     .evaluate = evaluate_flat_log_softmax,
     .cost = cost_times_operand<5>},
    {.name = "LogSoftmax",
     .since = 13,
     .traits = kScoresClasses | kOverwrites,
     .infer = infer_log_softmax_along_axis,
     .evaluate = evaluate_log_softmax,
     .cost = cost_times_operand<5>},
    {.name = "Mish", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_function<Mish>},
    {.name = "PRelu", .traits = kElementwise, .infer = infer_shape_only, .evaluate = evaluate_old_prelu},
    {.name = "PRelu", .since = 7, .traits = kElementwise, .infer = infer_shape_only, .evaluate = evaluate_prelu},
    {.name = "Relu", .traits = kIncreasing | kIdempotent, .infer = infer_relu, .evaluate = evaluate_relu},
    {.name = "Selu", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_selu},
    {.name = "Shrink", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_shrink},
    {.name = "Sigmoid", .traits = kIncreasing, .infer = infer_share, .evaluate = evaluate_function<Sigmoid>},
    {.name = "Softmax",
     .traits = kScoresClasses | kOverwrites,
     .infer = infer_softmax,
     .evaluate = evaluate_flat_softmax,
     .cost = cost_times_operand<5>},
    {.name = "Softmax",
     .since = 11,
     .traits = kScoresClasses | kOverwrites,
     .infer = infer_softmax_along_axis,
     .evaluate = evaluate_flat_softmax,
     .cost = cost_times_operand<5>},
    {.name = "Softmax",
     .since = 13,
     .traits = kScoresClasses | kOverwrites,
     .infer = infer_softmax_along_axis,
     .evaluate = evaluate_softmax,
     .cost = cost_times_operand<5>},
    {.name = "Softplus", .traits = kIncreasing, .infer = infer_above_zero, .evaluate = evaluate_function<Softplus>},
    {.name = "Softsign", .traits = kIncreasing, .infer = infer_within_one, .evaluate = evaluate_function<Softsign>},
    {.name = "SwiGLU",
     .traits = kElementwise,
     .infer = infer_swiglu,
     .evaluate = evaluate_swiglu,
     .cost = cost_times_result<2>},
    {.name = "Swish", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_swish},
    {.name = "ThresholdedRelu", .traits = kElementwise, .infer = infer_plain, .evaluate = evaluate_thresholded_relu},
    {.name = "BiasGelu",
     .domain = "com.microsoft",
     .infer = infer_shape_only,
     .evaluate = evaluate_bias_gelu,
     .cost = cost_times_result<2>},
    {.name = "BiasSoftmax",
     .domain = "com.microsoft",
     .traits = kOverwrites,
     .infer = infer_softmax,
     .evaluate = evaluate_bias_softmax,
     .cost = cost_times_operand<6>},
    {.name = "BiasSplitGelu",
     .domain = "com.microsoft",
     .infer = infer_bias_split_gelu,
     .evaluate = evaluate_bias_split_gelu,
     .cost = cost_times_result<3>},
    {.name = "FastGelu",
     .domain = "com.microsoft",
     .infer = infer_shape_only,
     .evaluate = evaluate_fast_gelu,
     .cost = cost_per_result},
    {.name = "Gelu",
     .domain = "com.microsoft",
     .traits = kElementwise,
     .infer = infer_plain,
     .evaluate = evaluate_gelu},
    {.name = "QuickGelu",
     .domain = "com.microsoft",
     .traits = kElementwise,
     .infer = infer_plain,
     .evaluate = evaluate_quick_gelu},
};

}  // namespace

Family activation() { return kActivationRows; }

}  // namespace onnxpress::ops
