// MultiHeadAttention, Attention and QAttention of com.microsoft.
#include "onnxpress/ops/microsoft/multi_head_attention.h"

#include <cmath>

#include "onnxpress/ops/kernels/attention_kernel.h"
#include "onnxpress/ops/kernels/matmul_plan.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/math/matmul_integer.h"

namespace onnxpress::ops {

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

// Hides padding (with a large negative number, like ONNX Runtime) and future keys, and adds the given bias.
struct MicrosoftBias {
  std::vector<std::int64_t> mask;  // as given
  Sizes mask_sizes;
  Array extra;  // [batch or 1, heads or 1, queries, keys], floats
  std::int64_t batches = 0, heads = 0, queries = 0, keys = 0, past = 0;
  float filter = -10000;
  bool unidirectional = false;

  // Is the form of the mask supported?
  bool fits() const {
    const bool no_extra = extra.type() == ElementType::kUndefined;
    if (!no_extra && (extra.type() != ElementType::kFloat || extra.rank() != 4 || extra.size(2) != queries ||
                      extra.size(3) != keys || (extra.size(0) != 1 && extra.size(0) != batches) ||
                      (extra.size(1) != 1 && extra.size(1) != heads)))
      return false;
    if (mask_sizes.empty()) return mask.empty();
    if (mask_sizes.size() == 1) return mask_sizes[0] == batches || mask_sizes[0] == 2 * batches;
    return mask_sizes == Sizes{batches, keys} || mask_sizes == Sizes{batches, queries, keys};
  }
  void add(std::int64_t batch, std::int64_t head, std::int64_t query, std::span<float> row) const {
    const auto at = [&](std::int64_t i) { return mask[static_cast<std::size_t>(i)]; };
    for (std::int64_t k = 0; k < keys; ++k) {
      float& bias = row[static_cast<std::size_t>(k)];
      bool seen = true;
      if (mask_sizes.size() == 1) seen = k < at(batch) && (mask_sizes[0] != 2 * batches || k >= at(batches + batch));
      if (mask_sizes.size() == 2) seen = at(batch * keys + k) != 0;
      if (mask_sizes.size() == 3) seen = at((batch * queries + query) * keys + k) != 0;
      if (!seen) bias += filter;
      if (unidirectional && k > past + query) bias = kHidden;
    }
    if (extra.count() == 0) return;
    const std::int64_t b = extra.size(0) == 1 ? 0 : batch, h = extra.size(1) == 1 ? 0 : head;
    const float* from = extra.data<float>().data() + ((b * extra.size(1) + h) * queries + query) * keys;
    for (std::int64_t k = 0; k < keys; ++k) row[static_cast<std::size_t>(k)] += from[k];
  }
};

// Computes attention of prepared heads; `mask` and `extra` are names of operands.
std::optional<Array> attend_with_mask(Call& call, AttentionHeads& heads, std::int64_t past, std::string_view mask,
                                      std::string_view extra) {
  if (!fits(heads)) {
    call.fail("the shapes or types of query, key and value do not match");
    return std::nullopt;
  }
  MicrosoftBias bias;
  const Array& given = call.array(mask);
  const auto elements = given.integers();
  if (given.type() != ElementType::kUndefined && elements) {
    bias.mask = *elements;
    bias.mask_sizes = given.sizes();
  }
  bias.extra = widened(call.array(extra));
  bias.batches = heads.batch(), bias.heads = heads.heads(), bias.queries = heads.queries(), bias.keys = heads.keys();
  bias.past = past;
  bias.filter = static_cast<float>(call.params.real_or("mask_filter_value", -10000));
  bias.unidirectional = call.params.flag("unidirectional");
  if (!bias.fits()) {
    call.fail("the mask or the attention bias has a form that is not supported");
    return std::nullopt;
  }
  const double scale = call.params.real_or("scale", 0);
  heads.scale = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(heads.q.size(3)));
  return attend<float>(heads, [&](std::int64_t batch, std::int64_t head, std::int64_t query,
                                  std::span<float> row) { bias.add(batch, head, query, row); })
      .y;
}

// Elements [begin, begin + count) along the last axis, plus a bias of the same length, if there is one.
Array columns_of(const Array& array, std::int64_t begin, std::int64_t count, const Array& bias,
                 std::int64_t bias_begin) {
  const std::int64_t width = array.sizes().back();
  Sizes sizes = array.sizes();
  sizes.back() = count;
  Array result = Array::make<float>(sizes);
  const auto to = result.mutable_data<float>();
  const float* from = array.data<float>().data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / count, column = static_cast<std::int64_t>(i) % count;
    to[i] = from[row * width + begin + column];
    if (bias.count() > 0) to[i] += bias.data<float>()[static_cast<std::size_t>(bias_begin + column)];
  }
  return result;
}

// From [batch, length, heads, parts, size], takes one part as [batch, heads, length, size].
Array unpacked(const Array& array, std::int64_t part) {
  const Sizes sizes = {array.size(0), array.size(2), array.size(1), array.size(4)};
  if (array.count() == 0) return Array::make(array.type(), sizes);
  const std::size_t front[] = {3, 0, 2, 1, 4};
  const Array all = permuted(array, front);
  Array result = Array::make(array.type(), sizes);
  const auto from = all.data<float>().subspan(static_cast<std::size_t>(part) * result.count(), result.count());
  std::copy(from.begin(), from.end(), result.mutable_data<float>().begin());
  return result;
}

}  // namespace

// --- MultiHeadAttention

void infer_multi_head_attention(Inference& in) {
  const Shape *q = in.shape(0), *k = in.shape(1), *v = in.shape(2);
  const auto heads = in.params.integer("num_heads");
  if (!q || !heads || *heads < 1 || q->size() < 3 || !Dim::fits(*heads)) return;
  const Dim head_count = Dim::size(*heads);
  Shape shape = {(*q)[0], (*q)[1], Dim()};
  Dim size, value_size, length;
  if (q->size() == 5) {
    size = value_size = (*q)[4], length = (*q)[1];
  } else if (k && k->size() == 5) {
    size = value_size = (*k)[4], length = (*k)[1];
  } else if (v && v->size() == 3) {
    size = in.dims.exact_div((*q)[2], head_count), value_size = in.dims.exact_div((*v)[2], head_count),
    length = (*v)[1];
  } else if (v && v->size() == 4) {
    size = in.dims.exact_div((*q)[2], head_count), value_size = (*v)[3], length = (*v)[2];
  }
  shape[2] = v && v->size() == 3 ? (*v)[2] : in.dims.mul(value_size, head_count);
  in.set_shape(0, shape);
  if (in.has(6)) {
    const Shape* past = in.shape(6);
    length = past && past->size() == 4 ? in.dims.add((*past)[2], length) : Dim();
  }
  in.set_shape(1, {(*q)[0], head_count, length, size});
  in.set_shape(2, {(*q)[0], head_count, length, value_size});
}

namespace {

std::int64_t values_width(const Array& v) { return v.rank() == 4 ? v.size(1) * v.size(3) : v.size(2); }

// ONNX Runtime's kernels accept these forms only: k and v both merged, or both split and of one shape; a cache with
// heads of the size of q; a bias for all three.
const char* problem_of(const Call& call, const Array& q, const Array& k, const Array& v, std::int64_t count) {
  if (count < 1) return "num_heads is missing or not positive";
  if (q.rank() == 5 || k.rank() == 5) return nullptr;  // packed operands have rules of their own
  if (q.rank() != 3) return "query must have three dimensions";
  if (k.rank() != v.rank() || (k.rank() != 3 && k.rank() != 4))
    return "key and value must both have three or both four dimensions";
  if (k.size(0) != q.size(0) || v.size(0) != q.size(0)) return "query, key and value have different batch sizes";
  const std::int64_t size = q.size(2) / count;
  if (k.rank() == 3 && (k.size(2) != q.size(2) || k.size(1) != v.size(1)))
    return "key must be as wide as query and as long as value";
  if (k.rank() == 4 && (k.sizes() != v.sizes() || k.size(1) != count || k.size(3) != size))
    return "key and value with four dimensions must both be [batch, num_heads, length, head size of query]";
  if (call.has(3) && (call.array(3).rank() != 1 || call.array(3).size(0) != 2 * q.size(2) + values_width(v)))
    return "bias must have one element for each column of query, key and value";
  if (call.has(6) != call.has(7)) return "past_key and past_value must both be given, or neither";
  if (!call.has(6)) return nullptr;
  const Array &past_k = call.array(6), &past_v = call.array(7);
  const bool fits = past_k.rank() == 4 && past_k.sizes() == past_v.sizes() && past_k.size(0) == q.size(0) &&
                    past_k.size(1) == count && past_k.size(3) == size;
  return fits ? nullptr : "past_key and past_value must both be [batch, num_heads, length, head size of query]";
}

}  // namespace

bool evaluate_multi_head_attention(Call& call) {
  const ElementType type = call.array(0).type();
  const Array q = widened(call.array(0)), k = widened(call.array(1)), v = widened(call.array(2));
  const Array bias = widened(call.array(3));
  const std::int64_t count = call.params.integer_or("num_heads", 0);
  if (q.type() != ElementType::kFloat || (call.has(1) && k.type() != q.type()) ||
      (call.has(2) && v.type() != q.type()) || (call.has(3) && bias.type() != q.type()))
    return call.fail_type();
  if (call.has(8) || call.has(9) || call.wants(3))
    return call.fail("shared caches, beams and the qk result are not supported");
  if (const char* problem = problem_of(call, q, k, v, count)) return call.fail(problem);
  AttentionHeads heads;
  const auto split = [&](const Array& array, std::int64_t bias_begin) -> std::optional<Array> {
    if (array.rank() == 4) return array;
    if (array.rank() != 3 || count < 1 || array.size(2) % count != 0) return std::nullopt;
    if (call.has(3) && bias_begin + array.size(2) > static_cast<std::int64_t>(bias.count())) return std::nullopt;
    return split_heads(columns_of(array, 0, array.size(2), bias, bias_begin), count);
  };
  if (q.rank() == 5 || k.rank() == 5) {
    const Array& packed = q.rank() == 5 ? q : k;
    const std::int64_t parts = q.rank() == 5 ? 3 : 2;
    if (packed.size(2) != count || packed.size(3) != parts || call.has(3))
      return call.fail("a packed operand has the wrong shape, or has a bias");
    const auto query = parts == 3 ? std::optional(unpacked(q, 0)) : split(q, 0);
    if (!query) return call.fail("query does not match num_heads");
    heads = {.q = *query, .k = unpacked(packed, parts - 2), .v = unpacked(packed, parts - 1)};
  } else {
    const std::int64_t width = q.rank() == 3 ? q.size(2) : 0;
    const auto query = split(q, 0), key = split(k, width), value = split(v, 2 * width);
    if (!query || !key || !value) return call.fail("query, key, value or bias does not match num_heads");
    heads = {.q = *query, .k = *key, .v = *value};
  }
  const std::int64_t now = heads.k.size(2);
  const auto all_k = appended(widened(call.array(6)), heads.k), all_v = appended(widened(call.array(7)), heads.v);
  if (!all_k || !all_v) return call.fail("past_key or past_value does not match key or value");
  heads.k = *all_k;
  heads.v = *all_v;
  const auto y = attend_with_mask(call, heads, all_k->size(2) - now, "key_padding_mask", "attention_bias");
  if (!y) return false;
  call.set(0, narrowed(merged_heads(*y), type));
  if (call.wants(1)) call.set(1, narrowed(heads.k, type));
  if (call.wants(2)) call.set(2, narrowed(heads.v, type));
  return true;
}

// --- Attention and QAttention: query, key and value come from one product

namespace {

// The widths of query, key and value in the product; nullopt when they do not match.
std::optional<Sizes> part_widths(const Params& params, std::int64_t width) {
  Sizes widths = params.integers("qkv_hidden_sizes").value_or(Sizes());
  if (widths.empty()) widths.assign(3, width / 3);
  const std::int64_t heads = params.integer_or("num_heads", 0);
  if (widths.size() != 3 || heads < 1) return std::nullopt;
  for (const std::int64_t each : widths) {
    if (each < 0 || each > width || each % heads != 0) return std::nullopt;
  }
  if (widths[0] + widths[1] + widths[2] != width) return std::nullopt;
  return widths;
}

// Past keys (part 0) or values (part 1) of [2, batch, heads, length, size].
Array past_part(const Array& past, std::size_t part) {
  if (past.rank() != 5 || past.size(0) != 2) return {};
  Array result = Array::make<float>({past.size(1), past.size(2), past.size(3), past.size(4)});
  const auto from = past.data<float>().subspan(part * result.count(), result.count());
  std::copy(from.begin(), from.end(), result.mutable_data<float>().begin());
  return result;
}

// `projected` is [batch, length, q + k + v], without biases.
bool attend_projected(Call& call, const Array& projected, const Array& bias, const Array& past, ElementType type) {
  const auto widths = part_widths(call.params, projected.size(2));
  if (!widths) return call.fail("num_heads or qkv_hidden_sizes does not match the weights");
  if (bias.type() != ElementType::kUndefined && static_cast<std::int64_t>(bias.count()) != projected.size(2))
    return call.fail("bias does not have the width of the weights");
  if (call.params.flag("do_rotary") || call.params.flag("past_present_share_buffer"))
    return call.fail("rotary embeddings and shared caches are not supported here");
  const std::int64_t count = call.params.integer_or("num_heads", 1);
  AttentionHeads heads;
  std::int64_t begin = 0;
  for (std::size_t part = 0; part < 3; begin += (*widths)[part], ++part)
    (part == 0   ? heads.q
     : part == 1 ? heads.k
                 : heads.v) = split_heads(columns_of(projected, begin, (*widths)[part], bias, begin), count);
  const std::int64_t now = heads.k.size(2);
  const bool has_past = past.type() != ElementType::kUndefined;
  if (has_past && (past.type() != ElementType::kFloat || past.rank() != 5 || past.size(0) != 2))
    return call.fail("past is not [2, batch, heads, length, size]");
  if (has_past) {
    const auto k = appended(past_part(past, 0), heads.k), v = appended(past_part(past, 1), heads.v);
    if (!k || !v) return call.fail("past does not match the heads");
    heads.k = *k;
    heads.v = *v;
  }
  const auto y = attend_with_mask(call, heads, heads.k.size(2) - now, "mask_index", "attention_bias");
  if (!y) return false;
  call.set(0, narrowed(merged_heads(*y), type));
  if (!call.wants(1)) return true;
  if (heads.k.sizes() != heads.v.sizes()) return call.fail("present needs keys and values of one size");
  Array present = Array::make<float>({2, heads.k.size(0), heads.k.size(1), heads.k.size(2), heads.k.size(3)});
  const auto to = present.mutable_data<float>();
  std::copy(heads.k.data<float>().begin(), heads.k.data<float>().end(), to.begin());
  std::copy(heads.v.data<float>().begin(), heads.v.data<float>().end(),
            to.begin() + static_cast<std::ptrdiff_t>(heads.k.count()));
  call.set(1, narrowed(std::move(present), type));
  return true;
}

void infer_projected(Inference& in, std::size_t past_operand) {
  const Shape *x = in.shape(0), *w = in.shape(1);
  const auto heads = in.params.integer("num_heads");
  if (!x || x->size() != 3 || !heads || *heads < 1 || !Dim::fits(*heads)) return;
  const auto given = in.params.integers("qkv_hidden_sizes");
  Dim width = w && w->size() == 2 ? in.dims.exact_div((*w)[1], Dim::size(3)) : Dim();
  if (given && given->size() == 3) width = Dim::fits((*given)[2]) ? Dim::size((*given)[2]) : Dim();
  in.set_shape(0, {(*x)[0], (*x)[1], width});
  Dim length = (*x)[1];
  if (in.has(past_operand)) {
    const Shape* past = in.shape(past_operand);
    length = past && past->size() == 5 ? in.dims.add((*past)[3], length) : Dim();
  }
  in.set_shape(1, {Dim::size(2), (*x)[0], Dim::size(*heads), length, in.dims.exact_div(width, Dim::size(*heads))});
}

}  // namespace

void infer_microsoft_attention(Inference& in) { infer_projected(in, 4); }
void infer_qattention(Inference& in) { infer_projected(in, 8); }

bool evaluate_microsoft_attention(Call& call) {
  const ElementType type = call.array(0).type();
  const Array x = widened(call.array(0)), w = widened(call.array(1));
  if (x.type() != ElementType::kFloat || w.type() != ElementType::kFloat ||
      (call.has(2) && call.array(2).type() != type))
    return call.fail_type();
  if (x.rank() != 3 || w.rank() != 2) return call.fail("input must have three dimensions and weights two");
  if (call.has(6)) return call.fail("shared caches are not supported");
  const auto plan = plan_matmul(x.sizes(), w.sizes());
  if (!plan) return call.fail("input and weights cannot be multiplied");
  return attend_projected(call, multiply(*plan, x, w), widened(call.array(2)), widened(call.array(4)), type);
}

bool evaluate_qattention(Call& call) {
  const Array &x = call.array(0), &w = call.array(1);
  if (!is_byte(x.type()) || !is_byte(w.type())) return call.fail_type();
  if (x.rank() != 3 || w.rank() != 2) return call.fail("input must have three dimensions and weight two");
  const auto plan = plan_matmul(x.sizes(), w.sizes());
  if (!plan) return call.fail("input and weight cannot be multiplied");
  const auto sums = multiply_integers(*plan, x, w, call.array(6), call.array(7));
  const std::vector<float> x_scale = scales_of(call.array(3)), w_scale = scales_of(call.array(4));
  const auto width = static_cast<std::size_t>(w.size(1));
  if (!sums || x_scale.size() != 1 || (w_scale.size() != 1 && w_scale.size() != width) || width == 0)
    return call.fail("a scale or zero point has neither one element nor one per column");
  Array projected = Array::make<float>(sums->sizes());
  const auto to = projected.mutable_data<float>();
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] =
        static_cast<float>(sums->data<std::int32_t>()[i]) * (x_scale[0] * w_scale[w_scale.size() == 1 ? 0 : i % width]);
  return attend_projected(call, projected, widened(call.array(2)), widened(call.array(8)), call.array(3).type());
}

}  // namespace onnxpress::ops
