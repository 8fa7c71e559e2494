// Integer convolutions and their scales.
#include "onnxpress/ops/nn/conv_integer.h"

#include "onnxpress/ops/kernels/channels.h"
#include "onnxpress/ops/kernels/conv_kernel.h"
#include "onnxpress/ops/math/matmul_integer.h"

namespace onnxpress::ops {

namespace {

// Zero points as int32: one, or one per channel; nullopt for any other number. If absent, 0.
std::optional<std::vector<std::int32_t>> zeros_of(const Array& array, std::int64_t channels) {
  if (array.type() == ElementType::kUndefined) return std::vector<std::int32_t>{0};
  const auto list = array.integers();
  if (!is_byte(array.type()) || !list) return std::nullopt;
  if (list->size() != 1 && static_cast<std::int64_t>(list->size()) != channels) return std::nullopt;
  return std::vector<std::int32_t>(list->begin(), list->end());
}

template <typename T>
Array quantized(const Array& sums, std::span<const float> scales, std::int32_t zero) {
  Array y = Array::make<T>(sums.sizes());
  const auto from = sums.data<std::int32_t>();
  const auto to = y.mutable_data<T>();
  const auto channels = static_cast<std::size_t>(sums.size(1));
  const std::size_t positions =
      channels == 0 || sums.size(0) == 0
          ? 1
          : std::max<std::size_t>(1, sums.count() / channels / static_cast<std::size_t>(sums.size(0)));
  for (std::size_t i = 0; i < from.size(); ++i) {
    const float scale = scales[scales.size() == 1 ? 0 : i / positions % channels];
    to[i] = requantized<T>(static_cast<float>(from[i]) * scale, zero);
  }
  return y;
}

bool add_bias(Array& sums, const Array& bias) {
  const auto channels = static_cast<std::size_t>(sums.size(1));
  if (bias.type() != ElementType::kInt32 || bias.count() != channels) return false;
  const auto to = sums.mutable_data<std::int32_t>();
  const auto add = bias.data<std::int32_t>();
  if (to.empty()) return true;
  const std::size_t positions = to.size() / channels / static_cast<std::size_t>(sums.size(0));
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[i]) +
                                      static_cast<std::uint32_t>(add[i / positions % channels]));
  return true;
}

}  // namespace

bool evaluate_conv_integer(Call& call) {
  const Array &x = call.array(0), &w = call.array(1);
  if (!is_byte(x.type()) || !is_byte(w.type())) return call.fail_type();
  const auto plan = plan_conv(call, x, w, nullptr);
  if (!plan) return false;
  const auto x_zero = zeros_of(call.array(2), 1), w_zeros = zeros_of(call.array(3), w.size(0));
  if (!x_zero || !w_zeros) return call.fail("a zero point has neither one element nor one per output channel");
  return call.done(convolved_integers(*plan, x, w, x_zero->front(), *w_zeros));
}

void infer_qlinear_conv(Inference& in) { infer_conv_of(in, 0, 3); }

bool evaluate_qlinear_conv(Call& call) {
  const bool last = channels_are_last(call.params);
  const Array& given = call.array(0);
  if (last && given.rank() < 3) return call.fail("X must have a rank of at least 3");
  const Array x = last ? channels_first(given) : given;
  const Array &w = call.array(3), &y_zero = call.array(7);
  if (!is_byte(x.type()) || !is_byte(w.type()) || !is_byte(y_zero.type())) return call.fail_type();
  const auto plan = plan_conv(call, x, w, nullptr);
  if (!plan) return false;
  const auto x_zero = zeros_of(call.array(2), 1), w_zeros = zeros_of(call.array(5), w.size(0));
  const auto y_zeros = zeros_of(y_zero, 1);
  if (!x_zero || !w_zeros || !y_zeros)
    return call.fail("a zero point has neither one element nor one per output channel");
  const auto x_scale = call.array(1).number(), y_scale = call.array(6).number();
  std::vector<float> scales = scales_of(call.array(4));
  if (!x_scale || !y_scale || (scales.size() != 1 && static_cast<std::int64_t>(scales.size()) != w.size(0)))
    return call.fail("a scale has neither one element nor one per output channel");
  for (float& scale : scales) scale = static_cast<float>(*x_scale) * scale / static_cast<float>(*y_scale);
  Array sums = convolved_integers(*plan, x, w, x_zero->front(), *w_zeros);
  if (call.has(8) && !add_bias(sums, call.array(8))) return call.fail("B must have one int32 per output channel");
  Array y = y_zero.type() == ElementType::kInt8 ? quantized<std::int8_t>(sums, scales, y_zeros->front())
                                                : quantized<std::uint8_t>(sums, scales, y_zeros->front());
  return call.done(last ? channels_last(y) : y);
}

}  // namespace onnxpress::ops
