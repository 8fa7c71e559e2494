// x times the probability that a normally distributed number is below x.
#include "onnxpress/ops/math/gelu.h"

#include <cmath>
#include <numbers>

#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/fast_math.h"
#include "onnxpress/ops/kernels/rounded_math.h"

namespace onnxpress::ops {

namespace {

struct ExactGelu {
  template <typename T>
  T operator()(T x) const {
    // 1 + erf(y) is erfc(-y), which stays precise where erf(y) is near -1.
    return T{0.5} * x * rounded_erfc(-x / std::numbers::sqrt2_v<T>);
  }
};

struct TanhGelu {
  template <typename T>
  T operator()(T x) const {
    constexpr T kScale = static_cast<T>(0.797884560802865355879892119868763737);  // sqrt(2 / pi)
    return T{0.5} * x * (1 + hyperbolic_tangent(kScale * (x + static_cast<T>(0.044715) * x * x * x)));
  }
};

// Operand 0 plus operand 1 (if present; one number for each position of the last axis), as float or double.
std::optional<Array> biased(Call& call) {
  const Array& x = call.array(0);
  if (!is_float(x.type())) return call.fail_type(), std::nullopt;
  const ElementType wide = x.type() == ElementType::kDouble ? ElementType::kDouble : ElementType::kFloat;
  auto base = converted(x, wide);
  if (!call.has(1)) return base;
  if (x.rank() == 0 || call.array(1).sizes() != Sizes{x.sizes().back()})
    return call.fail("the bias must have one dimension, the last of the operand"), std::nullopt;
  const auto bias = converted(call.array(1), wide);
  if (!bias) return call.fail_type(), std::nullopt;
  const auto plus = [](auto a, auto b) { return a + b; };
  return wide == ElementType::kDouble ? combined<double, double>(call, *base, *bias, plus)
                                      : combined<float, float>(call, *base, *bias, plus);
}

template <typename Work>
bool evaluate_biased(Call& call, Work&& work) {
  const auto sum = biased(call);
  if (!sum || !evaluate_real(call, *sum, work)) return false;
  return call.done(*converted(*call.results()[0].array(), call.array(0).type()));
}

}  // namespace

bool evaluate_gelu(Call& call) {
  const auto approximate = call.params.text_or("approximate", "none");
  if (approximate == "tanh") return evaluate_real(call, call.array(0), TanhGelu());
  if (approximate == "none") return evaluate_real(call, call.array(0), ExactGelu());
  return call.fail("'approximate' is neither none nor tanh");
}

bool evaluate_bias_gelu(Call& call) { return evaluate_biased(call, ExactGelu()); }
bool evaluate_fast_gelu(Call& call) { return evaluate_biased(call, TanhGelu()); }

bool evaluate_quick_gelu(Call& call) {
  const double alpha = call.params.real_or("alpha", 1.702);
  return evaluate_real(call, call.array(0),
                       [alpha]<typename T>(T x) { return x / (1 + exponential(-static_cast<T>(alpha) * x)); });
}

bool evaluate_bias_split_gelu(Call& call) {
  const auto sum = biased(call);
  if (!sum) return false;
  if (sum->rank() == 0 || sum->sizes().back() % 2 != 0)
    return call.fail("the last axis cannot be split into two halves");
  return evaluate_wide(call, call.array(0), [&]<typename T>(const Array&) {
    Sizes sizes = sum->sizes();
    sizes.back() /= 2;
    Array result = Array::make<T>(sizes);
    const auto half = static_cast<std::size_t>(sizes.back());
    const T* from = sum->data<T>().data();
    const auto to = result.mutable_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      const T* row = from + i / half * 2 * half;
      to[i] = row[i % half] * ExactGelu()(row[half + i % half]);
    }
    return result;
  });
}

void infer_bias_split_gelu(Inference& in) {
  const Shape* x = in.shape(0);
  if (!x || x->empty()) return;
  Shape shape = *x;
  shape.back() = in.dims.exact_div(shape.back(), Dim::size(2));
  in.set_shape(std::move(shape));
}

}  // namespace onnxpress::ops
