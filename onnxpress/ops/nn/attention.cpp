// Attention of ai.onnx; the table of the family.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/core/weight_axes.h"
#include "onnxpress/ops/kernels/attention_kernel.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/microsoft/multi_head_attention.h"
#include "onnxpress/ops/nn/attention_cost.h"
#include "onnxpress/ops/nn/flex_attention.h"
#include "onnxpress/ops/nn/linear_attention.h"
#include "onnxpress/ops/nn/rotary_embedding.h"

namespace onnxpress::ops {

namespace {

// --- Shapes

struct HeadDims {
  Dim batch, heads, length, size;
};

// [batch, heads, length, size], or [batch, length, heads * size].
std::optional<HeadDims> head_dims(Inference& in, std::size_t operand, std::string_view heads) {
  const Shape* shape = in.shape(operand);
  if (!shape) return std::nullopt;
  if (shape->size() == 4) return HeadDims{(*shape)[0], (*shape)[1], (*shape)[2], (*shape)[3]};
  if (shape->size() != 3) return std::nullopt;
  const auto count = in.params.integer(heads);
  const Dim dim = count && *count > 0 && Dim::fits(*count) ? Dim::size(*count) : Dim();
  return HeadDims{(*shape)[0], dim, (*shape)[1], in.dims.exact_div((*shape)[2], dim)};
}

// The shape is [batch, heads, length, size] or, if the heads are counted, [batch, length, heads * size].
bool require_heads_of(Inference& in, std::size_t operand) {
  const Shape* shape = in.shape(operand);
  if (!shape || shape->size() == 3 || shape->size() == 4) return true;
  in.contradict(fmt::format("operand {} has rank {}, but must have rank 3 or 4", operand, shape->size()));
  return false;
}

// Runtimes need both parts of the past in every version, but only from version 25 on do checkers say so.
bool require_whole_past(Inference& in) {
  if (in.params.schema().since < 25) return true;
  if (in.has(4) != in.has(5))
    in.contradict("past_key and past_value must be given together");
  else if (in.has(4) && in.has(6))
    in.contradict("nonpad_kv_seqlen cannot be given together with a past");
  return in.contradiction().empty();
}

bool require_attention(Inference& in) {
  for (const std::size_t i : {0, 1, 2}) {
    if (!require_heads_of(in, i)) return false;
  }
  for (const std::string_view window : {"left_window_size", "right_window_size"}) {
    const std::int64_t size = in.params.integer_or(window, -1);
    if (size >= -1) continue;
    in.contradict(fmt::format("{} is {}, but must be at least -1", window, size));
    return false;
  }
  const Shape* query = in.shape(0);
  for (const std::string_view heads : {"q_num_heads", "kv_num_heads"}) {
    if (!query || query->size() != 3) break;
    if (!in.params.attribute(heads)) in.contradict(fmt::format("a query of rank 3 needs {}", heads));
    if (!require_positive(in, heads)) return false;
  }
  if (!in.contradiction().empty() || !require_whole_past(in)) return false;
  // ONNX looks at the past only to tell the shape of the present.
  if (in.result_count() < 2 || !in.has(4) || !in.has(5)) return true;
  return require_rank(in, 4, 4) && require_rank(in, 5, 4);
}

void infer_rotary_embedding(Inference& in) {
  if (!require_heads_of(in, 0)) return;
  const Shape* x = in.shape(0);
  if (x && x->size() == 3 && !in.params.attribute("num_heads"))
    return in.contradict("an operand of rank 3 needs num_heads");
  infer_same_shape(in);
}

void infer_attention(Inference& in) {
  if (!require_attention(in)) return;
  const auto q = head_dims(in, 0, "q_num_heads"), k = head_dims(in, 1, "kv_num_heads"),
             v = head_dims(in, 2, "kv_num_heads");
  if (!q) return;
  const bool flat = in.shape(0)->size() == 3;
  const Dim value_size = v ? v->size : Dim();
  in.set_shape(0, flat ? Shape{q->batch, q->length, in.dims.mul(q->heads, value_size)}
                       : Shape{q->batch, q->heads, q->length, value_size});
  Dim total = k ? k->length : Dim();
  if (in.has(4)) {
    const Shape* past = in.shape(4);
    total = past && past->size() == 4 ? in.dims.add((*past)[2], total) : Dim();
  }
  const Dim kv_heads = k ? k->heads : Dim();
  in.set_shape(1, {q->batch, kv_heads, total, k ? k->size : Dim()});
  in.set_shape(2, {q->batch, kv_heads, total, value_size});
  in.set_shape(3, {q->batch, q->heads, q->length, total});
}

// --- Bias

// attn_mask as [batch, heads, queries, keys]: strides are 0 along broadcast axes, and keys beyond its last are hidden.
template <typename T>
struct Mask {
  Array values;  // of type T; -infinity hides a key
  Sizes strides = {};
  std::int64_t keys = 0;

  static std::optional<Mask> of(const Array& given, const AttentionHeads& heads) {
    Mask mask;
    if (given.type() == ElementType::kBool) {
      mask.values = Array::make<T>(given.sizes());
      const auto to = mask.values.template mutable_data<T>();
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = given.data<Bool>()[i] ? T(0) : -std::numeric_limits<T>::infinity();
    } else {
      mask.values = widened(given);
    }
    if (mask.values.type() != kTypeOf<T> || given.rank() > 4 || given.rank() == 0) return std::nullopt;
    mask.keys = given.size(given.rank() - 1);
    const Sizes wanted = {heads.batch(), heads.heads(), heads.queries(), heads.keys()};
    const Sizes own = strides_of(given.sizes());
    mask.strides.assign(4, 0);
    for (std::size_t i = 0; i < given.rank(); ++i) {
      const std::size_t axis = 4 - given.rank() + i;
      const std::int64_t size = given.size(i);
      if (axis == 3 ? size > wanted[3] : size != 1 && size != wanted[axis]) return std::nullopt;
      if (size != 1) mask.strides[axis] = own[i];
    }
    // A mask of size 1 is broadcast over all keys instead of being padded.
    if (mask.keys == 1 && heads.keys() != 1) mask.keys = heads.keys();
    return mask;
  }
  void add(std::int64_t batch, std::int64_t head, std::int64_t query, std::span<T> bias) const {
    const T* from = values.data<T>().data() + batch * strides[0] + head * strides[1] + query * strides[2];
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(bias.size()); ++k)
      bias[static_cast<std::size_t>(k)] += k < keys ? from[k * strides[3]] : -std::numeric_limits<T>::infinity();
  }
};

// The keys that a query at `place` may see: [place - left, place + right], and none beyond `valid`.
struct Sight {
  std::int64_t offset = 0, left = -1, right = -1, valid = 0;
  bool causal = false;

  template <typename T>
  void hide(std::int64_t query, std::span<T> bias) const {
    const std::int64_t place = query + offset;
    std::int64_t first = 0, last = valid;
    if (left >= 0) first = place - left;
    if (right >= 0 && right < last) last = std::min(last, place + right + 1);
    if (causal) last = std::min(last, place + 1);
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(bias.size()); ++k) {
      if (k < first || k >= last) bias[static_cast<std::size_t>(k)] = -std::numeric_limits<T>::infinity();
    }
  }
};

template <typename T>
bool attend_as(Call& call, AttentionHeads& heads, std::int64_t past) {
  std::optional<Mask<T>> mask;
  if (call.has(3)) {
    mask = Mask<T>::of(call.array(3), heads);
    if (!mask) return call.fail("attn_mask cannot be broadcast to the scores, or has the wrong type");
  }
  const Array& lengths = call.array("nonpad_kv_seqlen");
  const bool has_lengths = lengths.type() != ElementType::kUndefined;
  const auto valid = lengths.integers();
  if (has_lengths && (!valid || static_cast<std::int64_t>(valid->size()) != heads.batch()))
    return call.fail("nonpad_kv_seqlen must have one element per batch");
  Sight base{.offset = past, .valid = heads.keys(), .causal = call.params.flag("is_causal")};
  base.left = std::min(call.params.integer_or("left_window_size", -1), std::int64_t{1} << 40);
  base.right = call.params.integer_or("right_window_size", -1);
  const AttentionBias<T> bias = [&](std::int64_t batch, std::int64_t head, std::int64_t query, std::span<T> row) {
    if (mask) mask->add(batch, head, query, row);
    Sight sight = base;
    if (has_lengths) {
      sight.valid = std::min(sight.valid, (*valid)[static_cast<std::size_t>(batch)]);
      sight.offset = sight.valid - heads.queries();
    }
    sight.hide(query, row);
  };
  AttentionResult result = attend<T>(heads, bias);
  const ElementType type = call.array(0).type();
  call.set(0, narrowed(call.array(0).rank() == 3 ? merged_heads(result.y) : result.y, type));
  if (call.wants(1)) call.set(1, narrowed(heads.k, type));
  if (call.wants(2)) call.set(2, narrowed(heads.v, call.array(2).type()));
  if (call.wants(3)) call.set(3, narrowed(result.shown, type));
  return true;
}

bool evaluate_attention(Call& call) {
  if (!is_float_like(call.array(0).type())) return call.fail_type();
  const auto operand = [&](std::size_t i, std::string_view name) -> std::optional<Array> {
    const Array wide = widened(call.array(i));
    if (wide.rank() == 4) return wide;
    const std::int64_t heads = call.params.integer_or(name, 0);
    if (wide.rank() != 3 || heads < 1 || wide.size(2) % heads != 0) return std::nullopt;
    return split_heads(wide, heads);
  };
  const auto q = operand(0, "q_num_heads"), k = operand(1, "kv_num_heads"), v = operand(2, "kv_num_heads");
  if (!q || !k || !v)
    return call.fail("Q, K and V must have four dimensions, or three that match the numbers of heads");
  const auto all_k = appended(widened(call.array(4)), *k), all_v = appended(widened(call.array(5)), *v);
  if (!all_k || !all_v) return call.fail("past_key or past_value does not match K or V");
  AttentionHeads heads{.q = *q, .k = *all_k, .v = *all_v};
  if (!fits(heads)) return call.fail("the shapes or types of Q, K and V do not match");
  heads.scale = call.params.real_or("scale", 1 / std::sqrt(static_cast<double>(q->size(3))));
  heads.softcap = call.params.real_or("softcap", 0);
  using Shown = AttentionHeads::Shown;
  constexpr Shown kShown[] = {Shown::kProducts, Shown::kCapped, Shown::kBiased, Shown::kProbabilities};
  const std::int64_t mode = call.params.integer_or("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) return call.fail("qk_matmul_output_mode is out of range");
  if (call.wants(3)) heads.shown = kShown[mode];
  const std::int64_t past = all_k->size(2) - k->size(2);
  return q->type() == ElementType::kDouble ? attend_as<double>(call, heads, past) : attend_as<float>(call, heads, past);
}

constexpr OpDef kAttentionRows[] = {
    {.name = "Attention", .infer = infer_attention, .evaluate = evaluate_attention, .cost = cost_attention},
    {.name = "RotaryEmbedding",
     .infer = infer_rotary_embedding,
     .evaluate = evaluate_rotary_embedding,
     .cost = cost_times_operand<3>},
    {.name = "FlexAttention",
     .domain = "ai.onnx.preview",
     .traits = kHasBodies,
     .infer = infer_flex_attention,
     .evaluate = evaluate_flex_attention,
     .cost = cost_attention},
    {.name = "LinearAttention",
     .infer = infer_linear_attention,
     .evaluate = evaluate_linear_attention,
     .cost = cost_linear_attention},
    {.name = "LinearAttention",
     .domain = "com.microsoft",
     .infer = infer_linear_attention,
     .evaluate = evaluate_linear_attention,
     .cost = cost_linear_attention},
    {.name = "RotaryEmbedding",
     .domain = "com.microsoft",
     .infer = infer_same_shape,
     .evaluate = evaluate_microsoft_rotary_embedding,
     .cost = cost_times_operand<3>},
    {.name = "MultiHeadAttention",
     .domain = "com.microsoft",
     .infer = infer_multi_head_attention,
     .evaluate = evaluate_multi_head_attention,
     .cost = cost_multi_head_attention},
    {.name = "Attention",
     .domain = "com.microsoft",
     .infer = infer_microsoft_attention,
     .evaluate = evaluate_microsoft_attention,
     .cost = cost_microsoft_attention,
     .weights = {0b10, matmul_axes}},
    {.name = "QAttention",
     .domain = "com.microsoft",
     .infer = infer_qattention,
     .evaluate = evaluate_qattention,
     .cost = cost_qattention},
    {.name = "GroupQueryAttention",
     .domain = "com.microsoft",
     .infer = infer_group_query_attention,
     .evaluate = evaluate_group_query_attention,
     .cost = cost_group_query_attention},
};

}  // namespace

Family attention() { return kAttentionRows; }

}  // namespace onnxpress::ops
