// Fuses attention whose keys and values were repeated for groups of heads into ONNX Runtime's GroupQueryAttention.
//
//   before: k, v = Reshape(Expand(Unsqueeze(.., 2), ..), [b, heads, s, size]); y = attention of q, k, v with a mask
//   after:  y = com.microsoft.GroupQueryAttention(q, k, v, , , s - 1 for each batch, s, .., mask, causal = 0)
//
// Nothing is repeated any more. If k and v are appended to a cache, Concat(past, now), the operator does that as well
// and returns the longer cache; its kernel takes several positions at once only for a batch of one. The size of a head
// must be a multiple of 8.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/attention.h"
#include "onnxpress/passes/shared/attention_heads.h"

namespace onnxpress::passes {

namespace {

// `now` is appended to the cache `past` along axis 2; `past` is null if there is no cache.
struct Cached {
  Value *past = nullptr, *now = nullptr;
};

Cached cached_in(Value* value, const Rewriter& rw) {
  const Node* concat = rw.producer(value, "Concat");
  const auto axis = concat ? ops::normal_axis(rw.params(*concat).integer_or("axis", 0), 4) : std::nullopt;
  if (axis != 2 || concat->input_count() != 2) return {nullptr, value};
  return {concat->input(0), concat->input(1)};
}

// A scalar that holds the size of a dim at run time: taken from an input if possible, so that all layers share the
// nodes, else from this value.
Value* size_at_run(Dim dim, Value* value, std::size_t axis, Rewriter& rw) {
  if (const auto size = dim.size()) return rw.scalar(ElementType::kInt64, static_cast<double>(*size));
  for (const ValueInfo* input : rw.model().graph().inputs()) {
    const auto shape = rw.shape_of(input->value);
    for (std::size_t i = 0; shape && i < shape->size(); ++i) {
      if (!rw.dims().equal((*shape)[i], dim)) continue;
      value = input->value;
      axis = i;
    }
  }
  return rw.make("Gather", {rw.make("Shape", {value}), rw.scalar(ElementType::kInt64, static_cast<double>(axis))},
                 {{"axis", 0}});
}

// The last position of each batch, and the total length.
struct Lengths {
  Value *last = nullptr, *all = nullptr;
};

Lengths lengths_of(const Cached& keys, Dim batch, Value* q, Rewriter& rw) {
  constexpr auto kInt32 = static_cast<std::int64_t>(ElementType::kInt32);
  Value* length = size_at_run((*rw.shape_of(keys.now))[2], keys.now, 2, rw);
  if (keys.past) length = rw.make("Add", {length, size_at_run((*rw.shape_of(keys.past))[2], keys.past, 2, rw)});
  Value* batches = rw.reshaped(size_at_run(batch, q, 0, rw), {1});
  Value* last = rw.make("Cast", {rw.make("Sub", {length, rw.scalar(ElementType::kInt64, 1)})}, {{"to", kInt32}});
  return {rw.make("Expand", {last, batches}), rw.make("Cast", {length}, {{"to", kInt32}})};
}

bool fits_kernel(const Cached& keys, const Cached& values, const ops::Shape& q, const ops::Shape& k,
                 const Rewriter& rw) {
  const auto heads = q[1].size(), few = k[1].size(), size = q[3].size();
  if (!heads || !few || !size || *few < 1 || *heads % *few != 0 || *size % 8 != 0 || k[3].size() != *size) return false;
  if (!keys.past != !values.past) return false;
  const auto now = rw.shape_of(keys.now), other = rw.shape_of(values.now);
  if (!now || !other || !rw.dims().equal((*now)[2], q[2]) || !rw.dims().equal((*other)[2], q[2])) return false;
  return !keys.past || q[0].size() == 1 || q[2].size() == 1;
}

// Erases the unused nodes that computed this value: they still read the old cache, which is about to be replaced.
void erase_unread(Value* value, const Rewriter& rw) {
  std::vector<Value*> left = {value};
  while (!left.empty()) {
    Node* node = left.back() ? left.back()->producer() : nullptr;
    left.pop_back();
    if (!node || node->used_outputs() != 0 || !rw.op_of(*node)) continue;
    for (const Use& use : node->inputs()) left.push_back(use.value());
    node->graph()->erase(*node);
  }
}

bool apply_ort_group_query_attention(Node& reshape, Rewriter& rw) {
  Node* product = is_for_ort(reshape.output(), rw) ? before_merge(reshape, rw) : nullptr;
  const auto found = product ? find_attention(*product, rw) : std::nullopt;
  if (!found || found->from_k != Permutation{0, 1, 3, 2}) return false;
  Value *k = unrepeated(found->k, rw), *v = unrepeated(found->v, rw);
  const auto q_shape = rw.shape_of(found->q), k_shape = k ? rw.shape_of(k) : std::nullopt,
             v_shape = v ? rw.shape_of(v) : std::nullopt;
  if (!q_shape || !k_shape || !v_shape || !rw.same_shape(k, v)) return false;
  const Cached keys = cached_in(k, rw), values = cached_in(v, rw);
  if (!fits_kernel(keys, values, *q_shape, *k_shape, rw)) return false;
  const Lengths lengths = lengths_of(keys, (*q_shape)[0], found->q, rw);
  Value* const operands[] = {merge_heads(found->q, rw),
                             merge_heads(keys.now, rw),
                             merge_heads(values.now, rw),
                             keys.past,
                             values.past,
                             lengths.last,
                             lengths.all,
                             nullptr,
                             nullptr,
                             nullptr,
                             four_axes(found->mask, rw)};
  const Parameter parameters[] = {{"num_heads", *(*q_shape)[1].size()},
                                  {"kv_num_heads", *(*k_shape)[1].size()},
                                  {"scale", found->scale},
                                  {"causal", 0}};
  // Without outputs for the longer cache, the kernel ignores the old one.
  const Node* made = rw.make_node("GroupQueryAttention", operands, parameters, keys.past ? 3 : 1, kOrtDomain);
  Value* before = reshape.input(0);
  if (!made || !rw.replace(reshape, made->output(0))) return false;
  if (!keys.past) return true;
  const bool goes_on_k = k->is_output() || k->use_count() > 1, goes_on_v = v->is_output() || v->use_count() > 1;
  erase_unread(before, rw);
  if (goes_on_k) rw.replace_value(k, made->output(1));
  if (goes_on_v) rw.replace_value(v, made->output(2));
  return true;
}

constexpr std::string_view kOrtGroupQueryAttentionRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite ort_group_query_attention;
const Rewrite ort_group_query_attention = {
    .name = "ort-group-query-attention",
    .summary = "fuses attention with repeated keys and values into GroupQueryAttention",
    .exactness = Exactness::kReassociates,
    .group = "ort",
    .large_pattern = true,
    .roots = kOrtGroupQueryAttentionRoots,
    .apply = apply_ort_group_query_attention};

}  // namespace onnxpress::passes
