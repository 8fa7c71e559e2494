// Fuses the nodes that compute Attention, if the opset has it.
//
//   before: y = MatMul(Softmax(Add(MatMul(Mul(q, 0.125), Transpose(k)), mask)), v)
//   after:  y = Attention(q, k, v, mask, scale = 0.125)
//
// Operands have four dims, [batch, heads, length, size]. The Softmax runs over the last axis, and the mask, if there is
// one, has the shape of the scores, or leading dims of 1. If the heads of k and v were repeated to match q, the
// unrepeated ones are used, because Attention repeats them itself.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/attention.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_attention(Node& node, Rewriter& rw) {
  const auto found = find_attention(node, rw);
  if (!found) return false;
  Value *k = keys_of(*found, rw), *v = found->v;
  Value *few_k = k == found->k ? unrepeated(k, rw) : nullptr, *few_v = unrepeated(v, rw);
  if (few_k && few_v && rw.dims().equal((*rw.shape_of(few_k))[1], (*rw.shape_of(few_v))[1])) {
    k = few_k;
    v = few_v;
  }
  return rw.replace(node, rw.make("Attention", {found->q, k, v, found->mask}, {{"scale", found->scale}}));
}

constexpr std::string_view kFuseAttentionRoots[] = {"MatMul"};

}  // namespace

extern const Rewrite fuse_attention;
const Rewrite fuse_attention = {.name = "fuse-attention",
                                .summary = "fuses the nodes that compute Attention",
                                .exactness = Exactness::kReassociates,
                                .group = "blocks",
                                .large_pattern = true,
                                .roots = kFuseAttentionRoots,
                                .apply = apply_fuse_attention};

}  // namespace onnxpress::passes
