// Fuses the nodes that compute attention, and those that split and merge the heads, into MultiHeadAttention.
//
//   before: q, k, v = Transpose(Reshape(.., [0, 0, 12, 64]), perm = [0, 2, 1, 3])
//           a = MatMul(Softmax(Add(Mul(MatMul(q, Transpose(k)), 0.125), mask)), v)
//           y = Reshape(Transpose(a, perm = [0, 2, 1, 3]), [0, 0, 768])
//   after:  y = com.microsoft.MultiHeadAttention(.., num_heads = 12, scale = 0.125)
//
// Only where the kernel is faster than the nodes (measured with bench/rewrites): it splits merged heads more slowly
// than Transpose does, unless they are long. So short heads of k and v stay split, and those of q must not be split
// already. Split heads of k and v must have the same size, or the kernel refuses them.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/attention.h"
#include "onnxpress/passes/shared/attention_heads.h"

namespace onnxpress::passes {

namespace {

// From this size on, the kernel's own splitting of heads does not matter.
constexpr std::int64_t kLongHead = 64, kLongHeadWithoutMask = 32;
// From this number of scores in each head on, the kernel is faster in any case, if there is a mask.
constexpr std::int64_t kManyScores = 384 * 384;

bool has_many_scores(const AttentionMatch& found) {
  const auto rows = found.scores[2].size(), columns = found.scores[3].size();
  return rows && columns && *columns > 0 && *rows >= kManyScores / *columns;
}

bool pays_merged(const AttentionMatch& found, std::int64_t size) {
  if (size >= kLongHead || has_many_scores(found)) return true;
  return size >= kLongHeadWithoutMask && !found.mask && found.scores[2].size() != 1;
}

struct Operands {
  Value *q = nullptr, *k = nullptr, *v = nullptr;
};

// The operands in the form with which the kernel is fastest; q is null if there is no fast one.
Operands fast_operands(const AttentionMatch& found, std::int64_t size, Rewriter& rw) {
  Operands made;
  Value* q = heads_before(found.q, rw);
  if (!q && found.mask && has_many_scores(found)) q = merge_heads(found.q, rw);
  const bool same_size = rw.dims().equal((*rw.shape_of(found.v))[3], Dim::size(size));
  if (!q || (!same_size && !pays_merged(found, size))) return made;
  if (pays_merged(found, size)) {
    made.v = heads_before(found.v, rw);
    if (found.from_k == Permutation{0, 1, 3, 2}) made.k = heads_before(found.k, rw);
    if (found.from_k == Permutation{0, 2, 3, 1}) made.k = before_split(found.k, rw);  // two Transposes became one
  }
  if (!made.k || !made.v) {
    made.k = keys_of(found, rw);
    made.v = found.v;
    if (!same_size) {
      made.k = merge_heads(made.k, rw);
      made.v = merge_heads(made.v, rw);
    }
  }
  if (made.k && made.v) made.q = q;
  return made;
}

bool apply_ort_multi_head_attention(Node& reshape, Rewriter& rw) {
  Node* product = is_for_ort(reshape.output(), rw) ? before_merge(reshape, rw) : nullptr;
  const auto found = product ? find_attention(*product, rw) : std::nullopt;
  const auto shape = found ? rw.shape_of(found->q) : std::nullopt;
  const auto heads = shape ? (*shape)[1].size() : std::nullopt, size = shape ? (*shape)[3].size() : std::nullopt;
  if (!heads || !size) return false;
  const Operands given = fast_operands(*found, *size, rw);
  if (!given.q) return false;
  return rw.replace(
      reshape, make_ort("MultiHeadAttention", {given.q, given.k, given.v, nullptr, nullptr, four_axes(found->mask, rw)},
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
