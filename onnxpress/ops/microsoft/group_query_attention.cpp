// GroupQueryAttention of com.microsoft: groups of query heads share a key head; keys and values are kept in a cache.
#include <algorithm>
#include <cmath>

#include "onnxpress/ops/kernels/attention_kernel.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/microsoft/multi_head_attention.h"
#include "onnxpress/ops/nn/rotary_embedding.h"

namespace onnxpress::ops {

namespace {

struct GroupQuery {
  std::int64_t heads = 0, kv_heads = 0, batch = 0, length = 0, size = 0, cache = 0;
  std::vector<std::int64_t> totals, pasts;  // number of keys of each batch, and how many of them are in the cache
  Array q, k, v;                            // [batch, heads, length, size]
};

// Elements [begin, begin + count) along the last of three axes.
Array slice(const Array& array, std::int64_t begin, std::int64_t count) {
  Array result = Array::make<float>({array.size(0), array.size(1), count});
  float* to = result.mutable_data<float>().data();
  const float* from = array.data<float>().data() + begin;
  for (std::int64_t row = 0; row < array.size(0) * array.size(1); ++row, from += array.size(2), to += count)
    std::copy(from, from + count, to);
  return result;
}

bool read_heads(Call& call, GroupQuery& g) {
  const Array q = widened(call.array(0)), k = widened(call.array(1)), v = widened(call.array(2));
  g.heads = call.params.integer_or("num_heads", 0);
  g.kv_heads = call.params.integer_or("kv_num_heads", 0);
  constexpr std::int64_t kMost = 1 << 20;
  if (g.heads < 1 || g.kv_heads < 1 || g.heads > kMost || g.heads % g.kv_heads != 0)
    return call.fail("num_heads or kv_num_heads is out of range");
  if (q.type() != ElementType::kFloat || q.rank() != 3) return call.fail("query must be floats of three dimensions");
  g.batch = q.size(0), g.length = q.size(1);
  const bool packed = !call.has(1);
  const std::int64_t parts = packed ? g.heads + 2 * g.kv_heads : g.heads;
  if (q.size(2) % parts != 0) return call.fail("query does not match num_heads");
  g.size = q.size(2) / parts;
  if (g.size % 8 != 0) return call.fail("the size of a head is not a multiple of 8");
  if (call.has(1) != call.has(2)) return call.fail("key and value must both be given, or neither");
  if (call.has(3) != call.has(4)) return call.fail("past_key and past_value must both be given, or neither");
  if (packed) {
    const std::int64_t width = g.heads * g.size, kv_width = g.kv_heads * g.size;
    g.q = split_heads(slice(q, 0, width), g.heads);
    g.k = split_heads(slice(q, width, kv_width), g.kv_heads);
    g.v = split_heads(slice(q, width + kv_width, kv_width), g.kv_heads);
    return true;
  }
  const Sizes wanted = {g.batch, g.length, g.kv_heads * g.size};
  if (k.type() != q.type() || v.type() != q.type() || k.sizes() != wanted || v.sizes() != wanted)
    return call.fail("key or value does not match query and kv_num_heads");
  g.q = split_heads(q, g.heads);
  g.k = split_heads(k, g.kv_heads);
  g.v = split_heads(v, g.kv_heads);
  return true;
}

// Reads how many keys each batch has, and how long the cache becomes.
bool read_lengths(Call& call, GroupQuery& g) {
  const auto lengths = call.array(5).integers();
  const auto total = call.array(6).integers();
  if (!lengths || static_cast<std::int64_t>(lengths->size()) != g.batch || !total || total->size() != 1)
    return call.fail("seqlens_k or total_sequence_length has the wrong size");
  const std::int64_t past = call.has(3) && call.array(3).rank() == 4 ? call.array(3).size(2) : 0;
  g.cache = std::max(past, (*total)[0]);
  const bool first = g.length == (*total)[0];  // this is the prompt, so the cache holds no keys yet
  for (const std::int64_t each : *lengths) {
    const std::int64_t before = first ? 0 : each + 1 - g.length;
    if (each < 0 || before < 0 || before > past || before + g.length > g.cache || each >= g.cache)
      return call.fail("seqlens_k does not match the cache");
    g.totals.push_back(each + 1);
    g.pasts.push_back(before);
  }
  return true;
}

// The cache with this step's keys (or values) appended to what was there.
std::optional<Array> cached(const GroupQuery& g, const Array& past, const Array& now) {
  const Sizes sizes = {g.batch, g.kv_heads, g.cache, g.size};
  const bool has_past = past.type() != ElementType::kUndefined;
  if (!count_of(sizes)) return std::nullopt;
  if (has_past && (past.type() != ElementType::kFloat || past.rank() != 4 || past.size(0) != g.batch ||
                   past.size(1) != g.kv_heads || past.size(3) != g.size))
    return std::nullopt;
  Array result = Array::make<float>(sizes);
  const auto to = result.mutable_data<float>();
  std::fill(to.begin(), to.end(), 0.0F);
  for (std::int64_t i = 0; i < g.batch * g.kv_heads; ++i) {
    float* row = to.data() + i * g.cache * g.size;
    const std::int64_t before = g.pasts[static_cast<std::size_t>(i / g.kv_heads)];
    if (has_past) std::copy_n(past.data<float>().data() + i * past.size(2) * g.size, before * g.size, row);
    std::copy_n(now.data<float>().data() + i * g.length * g.size, g.length * g.size, row + before * g.size);
  }
  return result;
}

bool rotate(Call& call, GroupQuery& g) {
  if (!call.params.flag("do_rotary")) return true;
  const Rotation rotation{widened(call.array(7)), widened(call.array(8)), call.params.flag("rotary_interleaved")};
  if (!rotation.fits(g.size)) return call.fail("cos_cache or sin_cache does not match the size of the heads");
  const auto ids = call.array(9).integers();
  const bool given = call.has(9);
  if (given && (!ids || static_cast<std::int64_t>(ids->size()) != g.batch * g.length))
    return call.fail("position_ids is not [batch, sequence]");
  for (Array* array : {&g.q, &g.k}) {
    const auto data = array->mutable_data<float>();
    const std::int64_t heads = array->size(1);
    for (std::int64_t i = 0; i < g.batch * heads * g.length; ++i) {
      const auto batch = static_cast<std::size_t>(i / (heads * g.length));
      const std::int64_t place = i % g.length;
      const std::int64_t position =
          given ? (*ids)[batch * static_cast<std::size_t>(g.length) + static_cast<std::size_t>(place)]
                : g.pasts[batch] + place;
      if (position < 0 || position >= rotation.cosines.size(0)) return call.fail("a position is not in cos_cache");
      rotation.turn(static_cast<std::size_t>(position),
                    data.subspan(static_cast<std::size_t>(i * g.size), static_cast<std::size_t>(g.size)));
    }
  }
  return true;
}

// Only what is documented for plain float caches is supported.
bool is_supported(const Call& call) {
  const Params& params = call.params;
  return params.text_or("k_quant_type", "NONE") == "NONE" && params.text_or("v_quant_type", "NONE") == "NONE" &&
         !params.flag("sliding_window_cache") && !call.has(14) && !call.has(15) && !call.wants(3);
}

AttentionBias<float> bias_of(const Call& call, const GroupQuery& g, const Array& extra) {
  const bool causal = call.params.integer_or("causal", 1) != 0;
  const std::int64_t window = call.params.integer_or("local_window_size", -1);
  return [&g, &extra, causal, window](std::int64_t batch, std::int64_t head, std::int64_t query, std::span<float> row) {
    const auto at = static_cast<std::size_t>(batch);
    const std::int64_t place = g.pasts[at] + query, all = g.totals[at], end = causal ? std::min(place + 1, all) : all;
    const std::int64_t first = window > 0 ? place + 1 - window : 0;
    for (std::int64_t k = 0; k < g.cache; ++k) {
      float& bias = row[static_cast<std::size_t>(k)];
      if (k >= end || k < first) {
        bias = -std::numeric_limits<float>::infinity();
      } else if (extra.count() > 0 && k < extra.size(3)) {
        const std::int64_t b = extra.size(0) == 1 ? 0 : batch, h = extra.size(1) == 1 ? 0 : head;
        bias += extra.data<float>()[static_cast<std::size_t>(
            ((b * extra.size(1) + h) * extra.size(2) + query) * extra.size(3) + k)];
      }
    }
  };
}

}  // namespace

void infer_group_query_attention(Inference& in) {
  const Shape* q = in.shape(0);
  const auto heads = in.params.integer("num_heads"), kv_heads = in.params.integer("kv_num_heads");
  if (!q || q->size() != 3 || !heads || !kv_heads || *heads < 1 || *kv_heads < 1) return;
  if (!Dim::fits(*heads) || !Dim::fits(*kv_heads) || *heads > (1 << 20) || *kv_heads > (1 << 20)) return;
  const Dim parts = Dim::size(in.has(1) ? *heads : *heads + 2 * *kv_heads);
  const Dim size = in.dims.exact_div((*q)[2], parts);
  in.set_shape(0, {(*q)[0], (*q)[1], in.has(1) ? (*q)[2] : in.dims.mul(size, Dim::size(*heads))});
  // In a quantized cache, a byte may hold two numbers.
  const bool is_plain = !in.has(3) || in.operand(3).element == in.operand(0).element;
  for (const std::size_t i : {1, 2}) in.set_shape(i, {(*q)[0], Dim::size(*kv_heads), Dim(), is_plain ? size : Dim()});
}

bool evaluate_group_query_attention(Call& call) {
  if (!is_supported(call)) return call.fail("quantized or sliding caches, norms and the qk result are not supported");
  GroupQuery g;
  if (!read_heads(call, g) || !read_lengths(call, g) || !rotate(call, g)) return false;
  const auto k = cached(g, widened(call.array(3)), g.k), v = cached(g, widened(call.array(4)), g.v);
  if (!k || !v) return call.fail("past_key or past_value has the wrong shape");
  AttentionHeads heads{.q = g.q, .k = *k, .v = *v};
  const double scale = call.params.real_or("scale", 0);
  heads.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(g.size));
  heads.softcap = call.params.real_or("softcap", 0);
  if (call.has(11)) {
    const Array sink = widened(call.array(11));
    if (sink.type() != ElementType::kFloat) return call.fail_type();
    heads.sinks.assign(sink.data<float>().begin(), sink.data<float>().end());
  } else if (call.params.integer_or("smooth_softmax", 0) > 0) {
    heads.sinks.assign(static_cast<std::size_t>(g.heads), 0.0);
  }
  if (!fits(heads)) return call.fail("the operands' shapes do not match");
  const Array extra = widened(call.array(10));
  if (call.has(10) &&
      (extra.type() != ElementType::kFloat || extra.rank() != 4 || extra.size(2) != g.length ||
       (extra.size(0) != 1 && extra.size(0) != g.batch) || (extra.size(1) != 1 && extra.size(1) != g.heads)))
    return call.fail("attention_bias cannot be broadcast to the scores");
  const ElementType type = call.array(0).type();
  call.set(0, narrowed(merged_heads(attend<float>(heads, bias_of(call, g, extra)).y), type));
  if (call.wants(1)) call.set(1, narrowed(*k, type));
  if (call.wants(2)) call.set(2, narrowed(*v, type));
  return true;
}

}  // namespace onnxpress::ops
