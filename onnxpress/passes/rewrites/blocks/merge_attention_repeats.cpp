// Lets Attention repeat keys and values for groups of heads.
//
//   before: k, v = Reshape(Expand(Unsqueeze(.., 2), [b, 4, 2, s, size]), [b, 8, s, size]); y = Attention(q, k, v)
//   after:  y = Attention(q, .., ..)
//
// Operands have four axes. Both keys and values must be repeated, from the same number of heads, and the op must not
// return or continue a cache.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/attention.h"

namespace onnxpress::passes {

namespace {

bool apply_merge_attention_repeats(Node& attention, Rewriter& rw) {
  if (attention.used_outputs() != 1 || !attention.output()->is_used() || attention.input(4) || attention.input(5))
    return false;
  Value *k = unrepeated(attention.input(1), rw), *v = unrepeated(attention.input(2), rw);
  const auto q = rw.shape_of(attention.input(0)), keys = rw.shape_of(k), values = rw.shape_of(v);
  if (!q || q->size() != 4 || !keys || !values || !rw.dims().equal((*keys)[1], (*values)[1])) return false;
  return rw.set_input(attention, 1, k) && rw.set_input(attention, 2, v);
}

constexpr std::string_view kMergeAttentionRepeatsRoots[] = {"Attention"};

}  // namespace

extern const Rewrite merge_attention_repeats;
const Rewrite merge_attention_repeats = {.name = "merge-attention-repeats",
                                         .summary = "lets Attention repeat keys and values for groups of heads",
                                         .exactness = Exactness::kReassociates,
                                         .group = "blocks",
                                         .large_pattern = true,
                                         .roots = kMergeAttentionRepeatsRoots,
                                         .apply = apply_merge_attention_repeats};

}  // namespace onnxpress::passes
