// Fuses the nodes that compute attention, and those that split and merge the heads, into MultiHeadAttention.
//
//   before: q, k, v = Transpose(Reshape(.., [0, 0, 12, 64]), perm = [0, 2, 1, 3])
//           a = MatMul(Softmax(Add(Mul(MatMul(q, Transpose(k)), 0.125), mask)), v)
//           y = Reshape(Transpose(a, perm = [0, 2, 1, 3]), [0, 0, 768])
//   after:  y = com.microsoft.MultiHeadAttention(.., num_heads = 12, scale = 0.125)
//
// If the heads of q come from elsewhere, they are merged first; k and v may both stay split.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/attention.h"
#include "onnxpress/passes/shared/attention_heads.h"

namespace onnxpress::passes {

namespace {

bool apply_ort_multi_head_attention(Node& reshape, Rewriter& rw) {
  Node* product = is_for_ort(reshape.output(), rw) ? before_merge(reshape, rw) : nullptr;
  const auto found = product ? find_attention(*product, rw) : std::nullopt;
  const auto shape = found ? rw.shape_of(found->q) : std::nullopt;
  const auto heads = shape ? (*shape)[1].size() : std::nullopt, size = shape ? (*shape)[3].size() : std::nullopt;
  if (!heads || !size) return false;
  Value* q = merge_heads(found->q, rw);
  Value *k = nullptr, *v = heads_before(found->v, rw);
  if (found->from_k == Permutation{0, 1, 3, 2}) k = heads_before(found->k, rw);
  if (found->from_k == Permutation{0, 2, 3, 1}) k = before_split(found->k, rw);  // two Transposes were merged into one
  if (!k || !v) {
    k = keys_of(*found, rw);
    v = found->v;
  }
  return rw.replace(reshape, make_ort("MultiHeadAttention", {q, k, v, nullptr, nullptr, four_axes(found->mask, rw)},
                                      {{"num_heads", *heads}, {"scale", found->scale}}, rw));
}

constexpr std::string_view kOrtMultiHeadAttentionRoots[] = {"Reshape"};

}  // namespace

extern const Rewrite ort_multi_head_attention;
const Rewrite ort_multi_head_attention = {.name = "ort-multi-head-attention",
                                          .summary = "fuses the nodes that compute attention into MultiHeadAttention",
                                          .exactness = Exactness::kReassociates,
                                          .group = "ort",
                                          .large_pattern = true,
                                          .roots = kOrtMultiHeadAttentionRoots,
                                          .apply = apply_ort_multi_head_attention};

}  // namespace onnxpress::passes
