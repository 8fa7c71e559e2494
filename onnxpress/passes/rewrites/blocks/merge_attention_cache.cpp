// Lets Attention append keys and values to a cache.
//
//   before: k = Concat(past_k, now_k); v = Concat(past_v, now_v); y = Attention(q, k, v, mask)
//   after:  y, k, v = Attention(q, now_k, now_v, mask, past_k, past_v)
//
// Both are appended along the axis of positions, axis 2 of four. With a cache, is_causal counts positions in another
// way, so it must be off. Nothing else may read the longer keys and values, but they may be outputs.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/copy_with.h"

namespace onnxpress::passes {

namespace {

// The Concat of two values along axis 2 of four; null if the value is something else.
const Node* appending(const Value* value, const Rewriter& rw) {
  const Node* concat = rw.producer(value, "Concat");
  const auto shape = concat ? rw.shape_of(value) : std::nullopt;
  const bool fits = shape && shape->size() == 4 && concat->input_count() == 2 &&
                    ops::normal_axis(rw.params(*concat).integer_or("axis", 0), 4) == 2;
  return fits ? concat : nullptr;
}

bool apply_merge_attention_cache(Node& attention, Rewriter& rw) {
  if (attention.used_outputs() != 1 || !attention.output()->is_used() || attention.input(4) || attention.input(5) ||
      attention.input(6) || rw.params(attention).flag("is_causal"))
    return false;
  Value *k = attention.input(1), *v = attention.input(2);
  const Node *keys = appending(k, rw), *values = appending(v, rw);
  const auto q = rw.shape_of(attention.input(0));
  if (!keys || !values || k == v || !q || q->size() != 4) return false;
  if (k->use_count() != 1 || v->use_count() != 1) return false;  // graph outputs do not count
  Graph& graph = *attention.graph();
  Value* const operands[] = {attention.input(0), keys->input(1), values->input(1),
                             attention.input(3), keys->input(0), values->input(0)};
  // ONNX Runtime continues a cache only if it also returns it.
  Value* const results[] = {graph.create_value({}), graph.create_value({}), graph.create_value({})};
  graph.insert_before(&attention, parts_with(attention, operands, results));
  if (!rw.replace(attention, results[0])) return false;
  if (k->is_output()) rw.replace_same(k, results[1]);
  if (v->is_output()) rw.replace_same(v, results[2]);
  return true;
}

constexpr std::string_view kMergeAttentionCacheRoots[] = {"Attention"};

}  // namespace

extern const Rewrite merge_attention_cache;
const Rewrite merge_attention_cache = {.name = "merge-attention-cache",
                                       .summary = "lets Attention append keys and values to a cache",
                                       .exactness = Exactness::kReassociates,
                                       .group = "blocks",
                                       .large_pattern = true,
                                       .roots = kMergeAttentionCacheRoots,
                                       .apply = apply_merge_attention_cache};

}  // namespace onnxpress::passes
