// Makes MultiHeadAttention of the nodes that compute attention, with those that split and merge the heads.
//
//   before: q, k, v = Transpose(Reshape(.., [0, 0, 12, 64]), perm = [0, 2, 1, 3])
//           a = MatMul(Softmax(Add(Mul(MatMul(q, Transpose(k)), 0.125), mask)), v)
//           y = Reshape(Transpose(a, perm = [0, 2, 1, 3]), [0, 0, 768])
//   after:  y = com.microsoft.MultiHeadAttention(.., num_heads = 12, scale = 0.125)
//
// Where the heads of q come from elsewhere, they are merged first; k and v may stay split, both of them.
#include "onnxpress/passes/attention.h"
#include "onnxpress/passes/ort_rewrites.h"

namespace onnxpress::passes {

namespace {

// [batch, length, heads * size] and [batch, length, heads, size].
bool are_heads(const Value* whole, const Value* parts, const Rewriter& rw) {
  const auto one = rw.shape_of(whole), several = rw.shape_of(parts);
  if (!one || !several || one->size() != 3 || several->size() != 4) return false;
  ops::DimMath& math = rw.dims();
  return math.equal((*one)[0], (*several)[0]) && math.equal((*one)[1], (*several)[1]) &&
         math.equal((*one)[2], math.mul((*several)[2], (*several)[3]));
}

// What a value [batch, length, heads, size] was split from; null when it was not.
Value* before_split(const Value* value, const Rewriter& rw) {
  const Node* split = rw.producer(value, "Reshape");
  return split && are_heads(split->input(0), value, rw) ? split->input(0) : nullptr;
}

// The same for [batch, heads, length, size].
Value* merged_heads(const Value* value, const Rewriter& rw) {
  const Node* transpose = rw.producer(value, "Transpose");
  return transpose && perm_of(*transpose, rw) == Permutation{0, 2, 1, 3} ? before_split(transpose->input(0), rw)
                                                                         : nullptr;
}

// Of four axes, as the operator wants it.
Value* bias_of(Value* mask, Rewriter& rw) {
  const auto shape = mask ? rw.shape_of(mask) : std::nullopt;
  if (!shape || shape->size() == 4) return mask;
  std::vector<std::int64_t> axes;
  for (std::size_t i = shape->size(); i < 4; ++i) axes.push_back(static_cast<std::int64_t>(axes.size()));
  return rw.make("Unsqueeze", {mask}, {{"axes", axes}});
}

bool apply_ort_multi_head_attention(Node& reshape, Rewriter& rw) {
  Node* transpose = rw.sole_producer(reshape.input(0), "Transpose");
  Node* product = transpose ? rw.sole_producer(transpose->input(0), "MatMul") : nullptr;
  if (!product || !is_for_ort(reshape.output(), rw) || perm_of(*transpose, rw) != Permutation{0, 2, 1, 3} ||
      !are_heads(reshape.output(), transpose->output(), rw))
    return false;
  const auto found = find_attention(*product, rw);
  const auto shape = found ? rw.shape_of(found->q) : std::nullopt;
  const auto heads = shape ? (*shape)[1].size() : std::nullopt, size = shape ? (*shape)[3].size() : std::nullopt;
  if (!heads || !size) return false;
  Value* q = merged_heads(found->q, rw);
  if (!q)
    q = rw.reshaped(rw.make("Transpose", {found->q}, {{"perm", Permutation{0, 2, 1, 3}}}), {0, 0, *heads * *size});
  Value *k = nullptr, *v = merged_heads(found->v, rw);
  if (found->from_k == Permutation{0, 1, 3, 2}) k = merged_heads(found->k, rw);
  if (found->from_k == Permutation{0, 2, 3, 1}) k = before_split(found->k, rw);  // two Transposes have become one
  if (!k || !v) {
    k = keys_of(*found, rw);
    v = found->v;
  }
  return rw.replace(reshape, make_ort("MultiHeadAttention", {q, k, v, nullptr, nullptr, bias_of(found->mask, rw)},
                                      {{"num_heads", *heads}, {"scale", found->scale}}, rw));
}

constexpr std::string_view kOrtMultiHeadAttentionRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite ort_multi_head_attention;
const Rewrite ort_multi_head_attention = {
    .name = "ort-multi-head-attention",
    .summary = "makes MultiHeadAttention of ONNX Runtime of the nodes that compute it",
    .exactness = Exactness::kReassociates,
    .group = "target ort",
    .roots = kOrtMultiHeadAttentionRoots,
    .apply = apply_ort_multi_head_attention};

}  // namespace onnxpress::passes
