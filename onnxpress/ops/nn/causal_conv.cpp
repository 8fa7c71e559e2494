// CausalConvWithState.
#include "onnxpress/ops/nn/causal_conv.h"

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/scalar_activation.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

void infer_causal_conv(Inference& in) {
  if (!require_text(in, "activation", {"none", "silu", "swish"})) return;
  in.same_as(0, 0);
  const Shape *x = in.shape(0), *w = in.shape(1);
  if (w && w->size() == 3 && in.dims.resolve((*w)[2]).size() == 0) return in.contradict("the kernel has size 0");
  if (in.shape(3)) {
    in.same_as(1, 3);
  } else if (x && w && x->size() == 3 && w->size() == 3) {
    in.set_shape(1, {(*x)[0], (*x)[1], in.dims.sub((*w)[2], Dim::size(1))});
  }
}

bool evaluate_causal_conv(Call& call) {
  const ElementType type = call.array(0).type();
  const Array x = widened(call.array(0)), w = widened(call.array(1)), bias = widened(call.array(2));
  const Array past = widened(call.array(3));
  if (x.type() != ElementType::kFloat || w.type() != ElementType::kFloat) return call.fail_type();
  if (x.rank() != 3 || w.rank() != 3 || w.size(0) != x.size(1) || w.size(1) != 1 || w.size(2) < 1)
    return call.fail("input must be [batch, channels, length] and weight [channels, 1, k]");
  const std::int64_t length = x.size(2), kernel = w.size(2), before = kernel - 1;
  const Sizes state = {x.size(0), x.size(1), before};
  if (call.has(2) && (bias.type() != x.type() || bias.sizes() != Sizes{x.size(1)}))
    return call.fail("bias must have one element per channel");
  if (call.has(3) && (past.type() != x.type() || past.sizes() != state))
    return call.fail("past_state is not [batch, channels, k - 1]");
  const std::string_view name = call.params.text_or("activation", "none");
  const auto activation = name == "none" ? ScalarActivation() : activation_named(name == "swish" ? "silu" : name);
  if (!activation) return call.fail("unknown activation");
  if (!count_of(state)) return call.fail("the state is too large");
  Array y = Array::make<float>(x.sizes()), present = Array::make<float>(state);
  spend_steps(y.count(), static_cast<std::uint64_t>(kernel));
  const auto out = y.mutable_data<float>();
  std::vector<float> line(static_cast<std::size_t>(before + length));
  for (std::int64_t i = 0; i < x.size(0) * x.size(1); ++i) {
    std::fill(line.begin(), line.end(), 0.0F);
    if (call.has(3)) std::copy_n(past.data<float>().data() + i * before, before, line.begin());
    std::copy_n(x.data<float>().data() + i * length, length, line.begin() + before);
    const std::int64_t channel = i % x.size(1);
    const float* taps = w.data<float>().data() + channel * kernel;
    for (std::int64_t t = 0; t < length; ++t) {
      float sum = call.has(2) ? bias.data<float>()[static_cast<std::size_t>(channel)] : 0.0F;
      for (std::int64_t k = 0; k < kernel; ++k) sum += taps[k] * line[static_cast<std::size_t>(t + k)];
      out[static_cast<std::size_t>(i * length + t)] = sum;
    }
    std::copy_n(line.end() - before, before, present.mutable_data<float>().data() + i * before);
  }
  activation->apply(out);
  call.set(0, narrowed(std::move(y), type));
  call.set(1, narrowed(std::move(present), type));
  return true;
}

}  // namespace onnxpress::ops
