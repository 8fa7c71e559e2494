// The activations themselves.
#include "onnxpress/ops/kernels/scalar_activation.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "onnxpress/ops/kernels/rounded_math.h"

namespace onnxpress::ops {

namespace {

using Kind = ScalarActivation::Kind;

struct Named {
  std::string_view name;
  ScalarActivation activation;
};
constexpr Named kNamed[] = {
    {"relu", {Kind::kRelu}},
    {"tanh", {Kind::kTanh}},
    {"sigmoid", {Kind::kSigmoid}},
    {"affine", {Kind::kAffine, 1, 0}},
    {"leakyrelu", {Kind::kLeakyRelu, 0.01F}},
    {"thresholdedrelu", {Kind::kThresholdedRelu, 1}},
    {"scaledtanh", {Kind::kScaledTanh, 1, 1}},
    {"hardsigmoid", {Kind::kHardSigmoid, 0.2F, 0.5F}},
    {"elu", {Kind::kElu, 1}},
    {"softsign", {Kind::kSoftsign}},
    {"softplus", {Kind::kSoftplus}},
    {"clip", {Kind::kClip, -3.4028234663852886e38, 3.4028234663852886e38}},
    {"hardswish", {Kind::kHardSwish}},
    {"silu", {Kind::kSilu}},
};

template <typename T, typename Work>
void for_each(std::span<T> values, Work&& work) {
  for (T& value : values) value = work(value);
}

template <typename T>
T sigmoid(T x) {
  if constexpr (std::is_same_v<T, float>) return logistic_function(x);
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

template <typename T>
void apply_to(const ScalarActivation& activation, std::span<T> values) {
  const auto a = static_cast<T>(activation.alpha), b = static_cast<T>(activation.beta);
  switch (activation.kind) {
    case Kind::kNone:
      return;
    case Kind::kRelu:
      return for_each(values, [](T x) { return x < 0 ? T(0) : x; });
    case Kind::kTanh:
      return for_each(values, [](T x) { return rounded_tanh(x); });
    case Kind::kSigmoid:
      return for_each(values, [](T x) { return sigmoid(x); });
    case Kind::kAffine:
      return for_each(values, [=](T x) { return a * x + b; });
    case Kind::kLeakyRelu:
      return for_each(values, [=](T x) { return x < 0 ? a * x : x; });
    case Kind::kThresholdedRelu:
      return for_each(values, [=](T x) { return x > a ? x : T(0); });
    case Kind::kScaledTanh:
      return for_each(values, [=](T x) { return a * rounded_tanh(b * x); });
    case Kind::kHardSigmoid:
      return for_each(values, [=](T x) { return std::clamp(a * x + b, T(0), T(1)); });
    case Kind::kElu:
      return for_each(values, [=](T x) { return x < 0 ? a * rounded_expm1(x) : x; });
    case Kind::kSoftsign:
      return for_each(values, [](T x) { return x / (1 + std::abs(x)); });
    case Kind::kSoftplus:
      return for_each(values, [](T x) {
        const auto wide = static_cast<double>(x);
        return static_cast<T>(std::max(wide, 0.0) + std::log1p(std::exp(-std::abs(wide))));
      });
    case Kind::kClip:
      return for_each(values, [=](T x) { return std::min(std::max(x, a), b); });
    case Kind::kHardSwish:
      return for_each(values, [](T x) { return x * std::clamp(x / 6 + T(0.5), T(0), T(1)); });
    case Kind::kSilu:
      return for_each(values, [](T x) { return x * sigmoid(x); });
  }
}

}  // namespace

bool ScalarActivation::has_alpha() const {
  return kind == Kind::kAffine || kind == Kind::kLeakyRelu || kind == Kind::kThresholdedRelu ||
         kind == Kind::kScaledTanh || kind == Kind::kHardSigmoid || kind == Kind::kElu || kind == Kind::kClip;
}
bool ScalarActivation::has_beta() const {
  return kind == Kind::kAffine || kind == Kind::kScaledTanh || kind == Kind::kHardSigmoid || kind == Kind::kClip;
}
void ScalarActivation::apply(std::span<float> values) const { apply_to(*this, values); }
void ScalarActivation::apply(std::span<double> values) const { apply_to(*this, values); }

std::optional<ScalarActivation> activation_named(std::string_view name) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  for (const Named& each : kNamed) {
    if (std::equal(name.begin(), name.end(), each.name.begin(), each.name.end(), same)) return each.activation;
  }
  return std::nullopt;
}

}  // namespace onnxpress::ops
