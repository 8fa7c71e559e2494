// LinearAttention, token by token.
#include "onnxpress/ops/nn/linear_attention.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/gemm_kernel.h"
#include "onnxpress/ops/kernels/rounded_math.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

struct LinearSizes {
  std::size_t batch, length, heads, kv_heads, key, value;
};

// One key head of one batch: the state is [key][value].
struct LinearHead {
  const LinearSizes& sizes;
  const Array &q, &k, &v, &decay, &beta;
  bool gated, delta;
  float scale;

  // The share of the state that is kept, for one number of the key.
  float decay_factor(std::size_t row, std::size_t head, std::size_t i) const {
    const std::size_t width = decay.count() / (sizes.batch * sizes.length);
    const std::size_t column = width == sizes.kv_heads ? head : head * sizes.key + i;
    return rounded_exponential(decay.data<float>()[row * width + column]);
  }
  void step(std::size_t batch, std::size_t t, std::size_t head, float* state, float* y) const {
    const std::size_t row = batch * sizes.length + t, n = sizes.value;
    const float* key = k.data<float>().data() + (row * sizes.kv_heads + head) * sizes.key;
    const float* value = v.data<float>().data() + (row * sizes.kv_heads + head) * n;
    if (gated) {
      for (std::size_t i = 0; i < sizes.key; ++i) {
        const float factor = decay_factor(row, head, i);
        for (std::size_t j = 0; j < n; ++j) state[i * n + j] *= factor;
      }
    }
    std::vector<float> change(value, value + n);
    if (delta) {
      for (std::size_t i = 0; i < sizes.key; ++i) add_scaled(n, -key[i], state + i * n, change.data());
      const std::size_t width = beta.count() / (sizes.batch * sizes.length);
      const float rate = beta.data<float>()[row * width + (width == 1 ? 0 : head)];
      for (float& each : change) each *= rate;
    }
    for (std::size_t i = 0; i < sizes.key; ++i) add_scaled(n, key[i], change.data(), state + i * n);
    const std::size_t shared = sizes.heads / sizes.kv_heads;
    for (std::size_t h = head * shared; h < (head + 1) * shared; ++h) {
      const float* query = q.data<float>().data() + (row * sizes.heads + h) * sizes.key;
      float* to = y + (row * sizes.heads + h) * n;
      std::fill(to, to + n, 0.0F);
      for (std::size_t i = 0; i < sizes.key; ++i) add_scaled(n, scale * query[i], state + i * n, to);
    }
  }
};

std::optional<LinearSizes> sizes_of(const Params& params, const Array& q, const Array& k, const Array& v) {
  const std::int64_t heads = params.integer_or("q_num_heads", 0), kv_heads = params.integer_or("kv_num_heads", 0);
  if (q.rank() != 3 || k.rank() != 3 || v.rank() != 3 || heads < 1 || kv_heads < 1 || heads % kv_heads != 0)
    return std::nullopt;
  if (q.size(2) % heads != 0 || k.size(2) % kv_heads != 0 || v.size(2) % kv_heads != 0 ||
      q.size(2) / heads != k.size(2) / kv_heads)
    return std::nullopt;
  for (const Array* each : {&k, &v}) {
    if (each->size(0) != q.size(0) || each->size(1) != q.size(1)) return std::nullopt;
  }
  const auto of = [](std::int64_t size) { return static_cast<std::size_t>(size); };
  return LinearSizes{of(q.size(0)), of(q.size(1)),         of(heads),
                     of(kv_heads),  of(q.size(2) / heads), of(v.size(2) / kv_heads)};
}

// Is the shape [batch, length, a or b]?
bool has_width(const Array& array, const LinearSizes& sizes, std::size_t a, std::size_t b) {
  if (array.type() != ElementType::kFloat || array.rank() != 3) return false;
  const auto size = [&](std::size_t axis) { return static_cast<std::size_t>(array.size(axis)); };
  return size(0) == sizes.batch && size(1) == sizes.length && (size(2) == a || size(2) == b);
}

}  // namespace

namespace {

// Each rule reads decay (operand 4), beta (operand 5), both or neither.
bool require_update_rule(Inference& in) {
  if (!require_text(in, "update_rule", {"linear", "gated", "delta", "gated_delta"})) return false;
  const std::string_view rule = in.params.text_or("update_rule", "gated_delta");
  const bool decays = rule.starts_with("gated"), learns = rule.ends_with("delta");
  for (const auto& [name, operand, needed] : {std::tuple("decay", 4, decays), std::tuple("beta", 5, learns)}) {
    if (in.has(static_cast<std::size_t>(operand)) == needed) continue;
    in.contradict(fmt::format("update_rule '{}' {} the operand {}", rule, needed ? "needs" : "does not take", name));
    return false;
  }
  return true;
}

// Every packed operand can be divided into its heads.
bool require_heads(Inference& in) {
  if (!require_positive(in, "q_num_heads") || !require_positive(in, "kv_num_heads")) return false;
  const std::int64_t heads = in.params.integer_or("q_num_heads", 1), kv_heads = in.params.integer_or("kv_num_heads", 1);
  if (heads % kv_heads != 0) {
    in.contradict(fmt::format("{} heads cannot share {} heads of keys and values", heads, kv_heads));
    return false;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!require_rank(in, i, 3)) return false;
    const Shape* shape = in.shape(i);
    const auto width = shape ? in.dims.resolve(shape->back()).size() : std::nullopt;
    const std::int64_t count = i == 0 ? heads : kv_heads;
    if (!width || *width % count == 0) continue;
    in.contradict(fmt::format("operand {} has the width {}, which cannot be divided into {} heads", i, *width, count));
    return false;
  }
  return true;
}

// decay has one number per head or per key, and beta one per head or one for all.
bool require_rates(Inference& in) {
  const std::int64_t kv_heads = in.params.integer_or("kv_num_heads", 1);
  const auto width_of = [&](std::size_t operand) -> std::optional<std::int64_t> {
    const Shape* shape = in.shape(operand);
    return shape && shape->size() == 3 ? in.dims.resolve(shape->back()).size() : std::nullopt;
  };
  const auto decay = width_of(4), beta = width_of(5), keys = width_of(1);
  if (decay && *decay != kv_heads && (keys ? *decay != *keys : *decay % kv_heads != 0))
    in.contradict(
        fmt::format("decay has the width {}, which is neither that of the heads nor that of the keys", *decay));
  if (beta && *beta != 1 && *beta != kv_heads)
    in.contradict(fmt::format("beta has the width {}, but must have the width 1 or {}", *beta, kv_heads));
  return in.contradiction().empty();
}

}  // namespace

void infer_linear_attention(Inference& in) {
  if (!require_update_rule(in) || !require_heads(in) || !require_rates(in)) return;
  // Without a state to begin with, the state has the type of the query.
  if (!in.has(3) && in.operand(0).is_tensor()) in.set_element(1, in.operand(0).element);
  const Shape *q = in.shape(0), *v = in.shape(2);
  const auto heads = in.params.integer("q_num_heads"), kv_heads = in.params.integer("kv_num_heads");
  constexpr std::int64_t kMost = 1 << 20;
  if (!q || q->size() != 3 || !heads || !kv_heads || *heads < 1 || *kv_heads < 1 || *heads > kMost || *kv_heads > kMost)
    return;
  const Dim key = in.dims.exact_div((*q)[2], Dim::size(*heads));
  const Dim value = v && v->size() == 3 ? in.dims.exact_div((*v)[2], Dim::size(*kv_heads)) : Dim();
  in.set_shape(0, {(*q)[0], (*q)[1], in.dims.mul(value, Dim::size(*heads))});
  in.set_shape(1, {(*q)[0], Dim::size(*kv_heads), key, value});
}

bool evaluate_linear_attention(Call& call) {
  const ElementType type = call.array(0).type();
  const Array q = widened(call.array(0)), k = widened(call.array(1)), v = widened(call.array(2));
  const Array past = widened(call.array(3)), decay = widened(call.array(4)), beta = widened(call.array(5));
  if (q.type() != ElementType::kFloat || k.type() != q.type() || v.type() != q.type()) return call.fail_type();
  const auto sizes = sizes_of(call.params, q, k, v);
  if (!sizes) return call.fail("query, key and value do not match each other and the numbers of heads");
  if (call.params.flag("state_window")) return call.fail("state_window is not supported");
  const std::string_view rule = call.params.text_or("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta", delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear") return call.fail("unknown update_rule");
  if ((gated && !has_width(decay, *sizes, sizes->kv_heads, sizes->kv_heads * sizes->key)) ||
      (delta && !has_width(beta, *sizes, sizes->kv_heads, 1)))
    return call.fail("the shape of decay or beta does not match");
  const auto of = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  const Sizes state_sizes = {q.size(0), of(sizes->kv_heads), of(sizes->key), of(sizes->value)};
  const Sizes y_sizes = {q.size(0), q.size(1), of(sizes->heads * sizes->value)};
  if (!count_of(state_sizes) || !count_of(y_sizes)) return call.fail("the result is too large");
  if (call.has(3) && (past.type() != ElementType::kFloat || past.sizes() != state_sizes))
    return call.fail("past_state is not [batch, heads, key size, value size]");
  Array y = Array::make<float>(y_sizes), state = Array::make<float>(state_sizes);
  const auto states = state.mutable_data<float>();
  std::fill(states.begin(), states.end(), 0.0F);
  if (call.has(3)) std::copy(past.data<float>().begin(), past.data<float>().end(), states.begin());
  const double given = call.params.real_or("scale", 0);
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(sizes->key));
  const LinearHead head{*sizes, q, k, v, decay, beta, gated, delta, static_cast<float>(scale)};
  if (y.count() > 0) {
    for (std::size_t i = 0; i < sizes->batch * sizes->kv_heads; ++i) {
      for (std::size_t t = 0; t < sizes->length; ++t)
        head.step(i / sizes->kv_heads, t, i % sizes->kv_heads, states.data() + i * sizes->key * sizes->value,
                  y.mutable_data<float>().data());
    }
  }
  const ElementType state_type = call.has(3) ? call.array(3).type() : type;
  call.set(0, narrowed(std::move(y), type));
  call.set(1, narrowed(std::move(state), state_type));
  return true;
}

}  // namespace onnxpress::ops
